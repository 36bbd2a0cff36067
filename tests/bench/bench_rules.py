"""How fast the rules core is, with python-chess doing the like in the same run as the yardstick.

    make bench            (or: python tests/bench/bench_rules.py)

A whole three-round game is played once by a seeded policy over the example rosters, every step of every order declared.
What is timed is then the recorded game: judging and applying each action; applying the events alone; listing what is
legal. python-chess plays a recorded game with its legality check (`push_uci`) and lists legal moves.
"""

from __future__ import annotations

import gc
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import chess

from ordertray.army.roster import load_army
from ordertray.rules import (
    EDITIONS,
    SEATS,
    Action,
    Event,
    Game,
    Refusal,
    Seat,
    evolve,
    format_action,
    legal_actions,
    new_game,
    parse_action,
    play,
    public_view,
)
from ordertray.rules import actions as a

EXAMPLES = Path(__file__).parents[2] / "examples"
ROUNDS_OF_TIMING = 4
#: Chess games per timed run, so that both runs are about as long.
CHESS_GAMES = 13

#: Anderssen against Kieseritzky, London 1851: the "Immortal Game".
CHESS_GAME = (
    "e2e4 e7e5 f2f4 e5f4 f1c4 d8h4 e1f1 b7b5 c4b5 g8f6 g1f3 h4h6 d2d3 f6h5 f3h4 h6g5 h4f5 c7c6 g2g4 h5f6 h1g1 c6b5 "
    "h2h4 g5g6 h4h5 g6g5 d1f3 f6g8 c1f4 g5f6 b1c3 f8c5 c3d5 f6b2 f4d6 c5g1 e4e5 b2a1 f1e2 b8a6 f5g7 e8d8 f3f6 g8f6 "
    "d6e7"
)
CHESS_MOVES = CHESS_GAME.split()

#: What a player at the table does next, most likely first in each list.
_COURSE = (a.Start, a.Done, a.NameLieutenant, a.Spend, a.DeclareSkill, a.DeclareAro, a.Pass, a.End, a.Resolve, a.Next)


def starting_game() -> Game:
    """The example armies against each other, n5."""
    return new_game(
        {Seat.A: load_army(EXAMPLES / "red.toml"), Seat.B: load_army(EXAMPLES / "blue.toml")}, EDITIONS["n5"]
    )


def record_game(seed: int = 1) -> list[Action]:
    """The actions of a whole game: every order spent, reacted to, resolved; some casualties."""
    choice, game, record = random.Random(seed), starting_game(), []
    while game.state.over is None:
        action = _next_action(game, choice)
        outcome = play(game, action)
        assert not isinstance(outcome, Refusal), (action, outcome)
        game = outcome[0]
        record.append(action)
    return record


def _next_action(game: Game, choice: random.Random) -> Action:
    kinds: dict[type[Any], list[Action]] = {}
    for seat in SEATS:
        for action in legal_actions(game, seat):
            kinds.setdefault(type(action), []).append(action)
    order = game.state.order
    if order is not None and not order.declared and a.DeclareAro in kinds and choice.random() < 0.7:
        return choice.choice([aro for aro in kinds[a.DeclareAro] if isinstance(aro, a.DeclareAro) and aro.trooper])
    if order is not None and a.Pass in kinds:
        return a.Pass(game.state.active.other if game.state.active else Seat.A)
    if order is None and game.state.phase == "orders" and choice.random() < 0.1:
        hits = [hit for hit in kinds[a.RecordState] if isinstance(hit, a.RecordState)]
        return choice.choice([hit for hit in hits if hit.state in ("unconscious", "dead", "prone", "targeted")])
    return next(choice.choice(kinds[kind]) for kind in _COURSE if kind in kinds and kind is not a.DeclareAro)


def play_all(start: Game, actions: list[Action]) -> Game:
    """Judge and apply each action."""
    game = start
    for action in actions:
        outcome = play(game, action)
        assert not isinstance(outcome, Refusal)
        game = outcome[0]
    return game


def play_lines(start: Game, lines: list[str]) -> Game:
    """Parse, judge and apply each line."""
    game = start
    for line in lines:
        outcome = play(game, parse_action(line))
        assert not isinstance(outcome, Refusal)
        game = outcome[0]
    return game


def apply_all(start: Game, events: list[Event]) -> Game:
    """Apply each event."""
    game = start
    for event in events:
        game = evolve(game, event)
    return game


def best_s(works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The shortest of several runs of each work, in seconds of this process's own time.

    The works take turns, so that a busy spell of the machine hits all of them and leaves their ratios alone.
    """
    best = dict.fromkeys(works, float("inf"))
    for _ in range(ROUNDS_OF_TIMING):
        for name, work in works.items():
            gc.collect()
            begin = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def chess_game() -> chess.Board:
    """The recorded chess game, each move checked."""
    board = chess.Board()
    for move in CHESS_MOVES:
        board.push_uci(move)
    return board


def main() -> int:
    """Measure and print the table."""
    start, actions = starting_game(), record_game()
    lines = [format_action(action) for action in actions]
    games: list[Game] = [start]
    events: list[Event] = []
    for action in actions:
        outcome = play(games[-1], action)
        assert not isinstance(outcome, Refusal)
        games.append(outcome[0])
        events += outcome[1]
    positions = games[:: max(1, len(games) // 60)]
    boards = [chess.Board()]
    for move in CHESS_MOVES:
        board = boards[-1].copy(stack=False)
        board.push_uci(move)
        boards.append(board)

    works: dict[str, Callable[[], object]] = {
        "decide": lambda: play_all(start, actions),
        "speak": lambda: play_lines(start, lines),
        "replay": lambda: apply_all(start, events),
        "list": lambda: [legal_actions(game, seat) for game in positions for seat in SEATS],
        "view": lambda: [public_view(game) for game in positions],
        "chess": lambda: [chess_game() for _ in range(CHESS_GAMES)],
        "chess list": lambda: [list(board.legal_moves) for _ in range(CHESS_GAMES) for board in boards],
    }
    best = best_s(works)
    decided, spoken = len(actions) / best["decide"], len(actions) / best["speak"]
    listed, viewed = 2 * len(positions) / best["list"], len(positions) / best["view"]
    choices = sum(len(legal_actions(game, seat)) for game in positions for seat in SEATS) / (2 * len(positions))
    moves, chess_listed = CHESS_GAMES * len(CHESS_MOVES) / best["chess"], CHESS_GAMES * len(boards) / best["chess list"]
    chess_choices = sum(board.legal_moves.count() for board in boards) / len(boards)

    gc.collect()
    tracemalloc.start()
    kept = play_all(start, actions)
    gc.collect()
    game_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    tracemalloc.start()
    kept_board = chess_game()
    board_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept_board.is_checkmate()

    print(f"rules core, whole n5 game: {len(actions)} actions, {len(events)} events; CPython {sys.version.split()[0]}")
    rows = (
        ("actions judged and applied", decided, "/s", "aim 100,000/s"),
        ("  the same from lines of text", spoken, "/s", ""),
        ("events applied (replay)", len(events) / best["replay"], "/s", ""),
        ("whole game replayed", best["replay"] * 1000, "ms", "aim < 20 ms"),
        (f"listings of legal actions ({choices:.0f} each)", listed, "/s", ""),
        ("public views", viewed, "/s", ""),
        ("memory of a game with its history", game_bytes / 1024, "KiB", f"{game_bytes / len(actions):.0f} B an action"),
        ("python-chess: push_uci", moves, "/s", ""),
        (f"python-chess: legal moves ({chess_choices:.0f} each)", chess_listed, "/s", ""),
        ("python-chess: memory with its history", board_bytes / 1024, "KiB",
         f"{board_bytes / len(CHESS_MOVES):.0f} B a move"),
        ("ratio: action / push_uci", decided / moves, "x", "above 1: faster than chess"),
        ("ratio: line of text / push_uci", spoken / moves, "x", ""),
        ("ratio: listed actions / listed moves", listed * choices / (chess_listed * chess_choices), "x", "per entry"),
    )  # fmt: skip
    for name, value, unit, note in rows:
        print(f"  {name:<48}{value:>14,.{0 if value >= 100 else 2}f} {unit:<4}{note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

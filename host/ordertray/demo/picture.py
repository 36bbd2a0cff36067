"""The README's picture of the strips: a moment of a game with the example armies, drawn by the project itself.

python -m ordertray.demo.picture docs
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..army.examples import example_armies
from ..lights import frame_to_svg, render
from ..rules import Game, Refusal, Seat, new_game, parse_action, play, public_view
from .story import casualties

MOMENT = """\
A start
A next
A next
A next
A spend regular g1 watch1
A skill "Move"
B aro line1 "BS Attack"
B pass
A skill "BS Attack"
B pass
A resolve
A done
A spend regular g1 watch2
A skill "Move"
"""
RETREAT = """\
B pass
A end
A resolve
A done
A next
A next
B start
B next
B next
B next
B spend irregular line2
B skill "Move"
A aro watch1 "BS Attack"
"""


def moments() -> tuple[Game, Game]:
    """An order with its ARO window open; and the other side's turn, begun in Retreat."""
    first = _played(new_game(example_armies()), MOMENT)
    fallen = "".join(f"B state {trooper} unconscious\n" for trooper in casualties(first, Seat.B))
    return first, _played(first, fallen + RETREAT)


def _played(game: Game, script: str) -> Game:
    for line in script.splitlines():
        outcome = play(game, parse_action(line))
        if isinstance(outcome, Refusal):
            raise RuntimeError(f"the picture's game is refused at {line!r}: {outcome}")
        game = outcome[0]
    return game


def pictures() -> tuple[str, str]:
    """Both moments as SVG."""
    one, two = (frame_to_svg(render(public_view(game), {"state": "online"})) for game in moments())
    return one, two


def main(folder: str) -> None:
    """Write both pictures into `folder`."""
    for name, picture in zip(("strips-aro.svg", "strips-retreat.svg"), pictures(), strict=True):
        Path(folder, name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

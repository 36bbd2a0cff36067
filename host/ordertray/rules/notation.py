"""The game script: one line of text per action, and back. `format_action(parse_action(line))` is the line, tidied."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from . import actions as a
from .charts import LABELS
from .game import TROOPER_STATES
from .options import OPTION_VALUES, Options
from .seats import Seat


class NotationError(ValueError):
    """A line that is not in the notation. The message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class Query:
    """A line that asks and changes nothing.

    `show`; `position` (the whole game in one line); `why`, whether `action` would be accepted now.
    """

    what: str
    action: a.Action | None = None


_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')
_TROOPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_REFERENCE = re.compile(r"([AB]):(.+)")
_GROUP = re.compile(r"g([1-9][0-9]{0,2})")
_NUMBER = re.compile(r"[0-9]{1,3}")
_AT = re.compile(r"@([0-9]{1,9})(?:\s+(.*))?", re.DOTALL)


class _Words:
    """The words of a line, taken one by one."""

    def __init__(self, text: str) -> None:
        """`text` without its comment. Each word is kept with whether it stood in quotation marks."""
        self.words: list[tuple[bool, str]] = []
        if '"' not in text:  # as most lines: no need to go word by word
            self.words = [(False, word) for word in text.split()]
            return
        place = 0
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            match = _WORD.match(text, place)
            if match is None:
                raise NotationError('a quotation mark is not closed; names stand in "..."')
            quoted = match.group(1) is not None
            self.words.append((quoted, match.group(1) if quoted else match.group(2)))
            place = match.end()

    def __bool__(self) -> bool:
        return bool(self.words)

    def peek(self) -> str | None:
        """The next plain word, or None at the end or before a quoted name."""
        return self.words[0][1] if self.words and not self.words[0][0] else None

    def next_name(self) -> str | None:
        """A quoted name, if one is next."""
        if not self.words or not self.words[0][0]:
            return None
        name = " ".join(self.words.pop(0)[1].split())
        if not name:
            raise NotationError("a name is empty")
        return name

    def next(self, what: str) -> str:
        """The next plain word. `what` says what is missing otherwise."""
        if not self.words:
            raise NotationError(f"{what} is missing")
        quoted, word = self.words.pop(0)
        if quoted:
            raise NotationError(f'{what} is expected, not the name "{word}"')
        return word

    def choice(self, what: str, choices: tuple[str, ...]) -> str:
        """The next word, one of `choices`."""
        word = self.next(what)
        if word not in choices:
            raise NotationError(f"{word!r} is no {what}; it is one of {', '.join(choices)}")
        return word

    def trooper(self) -> str:
        """A trooper's id."""
        word = self.next("a trooper")
        if not _TROOPER.fullmatch(word):
            raise NotationError(f"{word!r} is no trooper id")
        return word

    def reference(self, default: Seat) -> tuple[Seat, str]:
        """A trooper of either side: `ID`, or `B:ID`."""
        word = self.next("a trooper")
        match = _REFERENCE.fullmatch(word)
        seat, name = (Seat(match.group(1)), match.group(2)) if match else (default, word)
        if not _TROOPER.fullmatch(name):
            raise NotationError(f"{word!r} is no trooper id")
        return seat, name

    def troopers(self) -> tuple[str, ...]:
        """The rest of the line: trooper ids."""
        found = []
        while self:
            found.append(self.trooper())
        return tuple(found)

    def references(self) -> tuple[str, ...]:
        """The rest of the line: trooper ids, each with or without its side."""
        found = []
        while self:
            word = self.peek() or ""
            seat, name = self.reference(Seat.A)
            found.append(f"{seat}:{name}" if ":" in word else name)
        return tuple(found)

    def group(self) -> int:
        """A combat group: `g1`."""
        word = self.next("a group")
        match = _GROUP.fullmatch(word)
        if match is None:
            raise NotationError(f"{word!r} is no combat group; write g1, g2, ...")
        return int(match.group(1))

    def number(self, what: str) -> int:
        """A number of up to three digits."""
        word = self.next(what)
        if not _NUMBER.fullmatch(word):
            raise NotationError(f"{word!r} is no number of {what}")
        return int(word)

    def end(self) -> None:
        """Nothing may be left."""
        if self.words:
            raise NotationError(f"{self.words[0][1]!r} is one word too many")


def strip_comment(line: str) -> str:
    """The line without its comment and the space around it; `#` inside a quoted name is no comment."""
    if "#" not in line:
        return line.strip()
    quoted = False
    for place, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return line[:place].strip()
    return line.strip()


def parse_line(line: str) -> a.Action | Query | None:
    """The action or query of one line; None for a blank or comment line. Raises `NotationError`."""
    if not isinstance(line, str):
        raise TypeError(f"a line of text is wanted, not {type(line).__name__}")
    text = strip_comment(line)
    if not text:
        return None
    at = None
    if text.startswith("@"):
        match = _AT.fullmatch(text)
        if match is None or not match.group(2):
            raise NotationError("@ is followed by a position number and an action")
        at, text = int(match.group(1)), match.group(2)
    words = _Words(text)
    head = words.next("an action")
    parsed: a.Action | Query
    if head == "why" and at is None:
        return Query("why", parse_action(text[len("why") :]))
    if head in ("show", "position"):
        parsed = Query(head)
    elif head == "undo":
        parsed = a.Undo()
    elif head == "option":
        parsed = _option(words)
    elif head in ("A", "B"):
        verb = words.next("an action")
        if verb not in _VERBS:
            raise NotationError(f"{verb!r} is no action; it is one of {', '.join(sorted(_VERBS))}")
        parsed = _VERBS[verb](words, Seat(head))
    else:
        raise NotationError(f"{head!r} begins no line; lines begin with A, B, option, undo, show, position, why or @N")
    words.end()
    if isinstance(parsed, Query):
        if at is not None:
            raise NotationError(f"{parsed.what} takes no position number")
        return parsed
    return parsed if at is None else replace(parsed, at=at)


def parse_action(line: str) -> a.Action:
    """The action of one line. Raises `NotationError`, also for lines that hold none."""
    parsed = parse_line(line)
    if parsed is None or isinstance(parsed, Query):
        raise NotationError("the line holds no action")
    return parsed


def _option(words: _Words) -> a.SetOption:
    name = words.choice("option", tuple(OPTION_VALUES))
    value = words.next("its value") if words else None
    if Options().with_option(name, value) is None:
        choices = OPTION_VALUES[name]
        takes = f"one of {', '.join(choices)}" if choices else "a number from 1" if name == "rounds" else "no value"
        raise NotationError(f"option {name} takes {takes}")
    return a.SetOption(name, value)


def _spend(words: _Words, seat: Seat) -> a.Spend:
    kind = words.choice("kind of order", a.SPEND_KINDS)
    if kind == "regular":
        return a.Spend(seat, kind, words.group(), words.references())
    if kind == "lieutenant":
        return a.Spend(seat, kind, None, words.troopers())
    return a.Spend(seat, kind, None, (words.trooper(),))


def _skill(words: _Words, seat: Seat) -> a.DeclareSkill:
    label = words.choice("label", LABELS) if words.peek() is not None else None
    name = words.next_name()
    if label is None and name is None:
        raise NotationError('a label (basic, short, long) or a name in "..." is missing')
    return a.DeclareSkill(seat, label, name)


def _aro(words: _Words, seat: Seat) -> a.DeclareAro:
    troopers = []
    while words.peek() not in (None, ">", "by"):
        troopers.append(words.trooper())
    name = words.next_name()
    target = by = None
    if words.peek() == ">":
        words.next(">")
        side, target = words.reference(seat.other)
        if side is seat:  # a trooper of one's own, acting for its captor (ORD-24)
            target = f"{side}:{target}"
    if words.peek() == "by":
        words.next("by")
        by = words.choice("reason", a.ARO_REASONS)
    return a.DeclareAro(seat, troopers[0] if troopers else None, name, target, by, tuple(troopers[1:]))


def _pass(words: _Words, seat: Seat) -> a.Pass:
    if words.peek() == "all":
        words.next("all")
        return a.Pass(seat, everyone=True)
    return a.Pass(seat, words.troopers())


def _idle(words: _Words) -> tuple[str, ...]:
    if not words:
        return ()
    words.choice("word here", ("idle",))
    if not words:
        raise NotationError("a trooper is missing after idle")
    return words.references()


def _state(make: Callable[[Seat, Seat, str, str], a.Action]) -> Callable[[_Words, Seat], a.Action]:
    def parse(words: _Words, seat: Seat) -> a.Action:
        owner, trooper = words.reference(seat)
        return make(seat, owner, trooper, words.choice("state", TROOPER_STATES))

    return parse


def _trooper(make: Callable[[Seat, str], a.Action]) -> Callable[[_Words, Seat], a.Action]:
    return lambda words, seat: make(seat, words.trooper())


def _plain(make: Callable[[Seat], a.Action]) -> Callable[[_Words, Seat], a.Action]:
    return lambda words, seat: make(seat)


def _token(words: _Words, seat: Seat) -> a.UseToken:
    use = words.choice("use of a Command Token", a.TOKEN_USES)
    troopers: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    if use == "strip":
        groups = (words.group(),)
        if words:
            groups += (words.group(),)
    elif use == "coordinate":
        groups = (words.group(),)
        troopers = words.troopers()
    elif use == "team":
        troopers = words.troopers()
    elif use not in ("cap", "reserve", "speedball", "other"):
        troopers = (words.trooper(),)
        if use == "group":
            groups = (words.group(),)
    return a.UseToken(seat, use, troopers, groups)


_VERBS: dict[str, Callable[[_Words, Seat], a.Action]] = {
    "start": _plain(a.Start),
    "next": _plain(a.Next),
    "strategos": _plain(a.Strategos),
    "spend": _spend,
    "trooper": _trooper(a.NameTrooper),
    "skill": _skill,
    "end": _plain(a.End),
    "aro": _aro,
    "pass": _pass,
    "check": lambda words, seat: a.Check(seat, _idle(words)),
    "resolve": lambda words, seat: a.Resolve(seat, _idle(words)),
    "done": _plain(a.Done),
    "state": _state(a.RecordState),
    "clear": _state(a.ClearState),
    "frenzy": _trooper(a.Frenzy),
    "arrive": _trooper(a.Arrive),
    "evacuate": _trooper(a.Evacuate),
    "lieutenant": _trooper(a.NameLieutenant),
    "token": _token,
    "team": lambda words, seat: a.TeamUse(seat, words.choice("use of a team", a.TEAM_USES), words.troopers()),
    "reinforce": _plain(a.Reinforce),
    "score": lambda words, seat: a.Score(seat, words.number("points")),
    "reveal": _trooper(a.Reveal),
    "delay": lambda words, seat: a.Delay(seat, words.troopers()),
    "undo": lambda words, seat: a.Undo(seat),
}


def format_action(action: a.Action) -> str:
    """The line of the game script that `action` is, with its position number if it has one."""
    line = " ".join(word for word in _line(action) if word)
    return line if action.at is None else f"@{action.at} {line}"


def _quoted(name: str | None) -> str:
    return "" if name is None else f'"{name}"'


def _groups(groups: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"g{group}" for group in groups)


def _line(action: a.Action) -> tuple[str, ...]:
    match action:
        case a.SetOption(name=name, value=value):
            return ("option", name, value or "")
        case a.Undo(seat=None):
            return ("undo",)
        case a.Undo(seat=seat):
            return (seat or "", "undo")
        case a.Start(seat=seat):
            return (seat, "start")
        case a.Next(seat=seat):
            return (seat, "next")
        case a.Reinforce(seat=seat):
            return (seat, "reinforce")
        case a.Score(seat=seat, points=points):
            return (seat, "score", str(points))
        case a.Reveal(seat=seat, trooper=trooper):
            return (seat, "reveal", trooper)
        case a.Strategos(seat=seat):
            return (seat, "strategos")
        case a.Spend(seat=seat, kind=kind, group=group, troopers=troopers):
            return (seat, "spend", kind, "" if group is None else f"g{group}", *troopers)
        case a.DeclareSkill(seat=seat, label=label, name=name):
            return (seat, "skill", label or "", _quoted(name))
        case a.End(seat=seat):
            return (seat, "end")
        case a.DeclareAro(seat=seat, trooper=trooper, name=name, target=target, by=by, others=others):
            aim = () if target is None else (">", target)
            reason = () if by is None else ("by", by)
            return (seat, "aro", trooper or "", *others, _quoted(name), *aim, *reason)
        case a.Delay(seat=seat, troopers=troopers):
            return (seat, "delay", *troopers)
        case a.TeamUse(seat=seat, use=use, troopers=troopers):
            return (seat, "team", use, *troopers)
        case a.Pass(seat=seat, troopers=troopers, everyone=everyone):
            return (seat, "pass", *(("all",) if everyone else troopers))
        case a.Check(seat=seat, idle=idle):
            return (seat, "check", *(("idle", *idle) if idle else ()))
        case a.Resolve(seat=seat, idle=idle):
            return (seat, "resolve", *(("idle", *idle) if idle else ()))
        case a.Done(seat=seat):
            return (seat, "done")
        case a.RecordState(seat=seat, owner=owner, trooper=trooper, state=state):
            return (seat, "state", trooper if owner is seat else f"{owner}:{trooper}", state)
        case a.ClearState(seat=seat, owner=owner, trooper=trooper, state=state):
            return (seat, "clear", trooper if owner is seat else f"{owner}:{trooper}", state)
        case a.NameTrooper(seat=seat, trooper=trooper):
            return (seat, "trooper", trooper)
        case a.Frenzy(seat=seat, trooper=trooper):
            return (seat, "frenzy", trooper)
        case a.Arrive(seat=seat, trooper=trooper):
            return (seat, "arrive", trooper)
        case a.Evacuate(seat=seat, trooper=trooper):
            return (seat, "evacuate", trooper)
        case a.NameLieutenant(seat=seat, trooper=trooper):
            return (seat, "lieutenant", trooper)
        case a.UseToken(seat=seat, use="group", troopers=troopers, groups=groups):
            return (seat, "token", "group", *troopers, *_groups(groups))
        case a.UseToken(seat=seat, use=use, troopers=troopers, groups=groups):
            return (seat, "token", use, *_groups(groups), *troopers)

"""What the demo shows in the terminal: the strips as coloured cells, the story, what was just done, the keys.

It fits whatever the terminal has (80 x 24 is the least that is tested): the page's address and the way out come first,
then what is going on, the strips, the keys; words about the last touches and positions only where there is room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ..lights import LampFrame, frame_to_text
from ..lights.terminal import LEGEND, SHAPES
from ..messages import N_
from ..rules import Seat, public_view, summary
from ..service.table_service import Notice, TableService
from ..table import Outcome, explain_touch
from ..table.guide import hint_of
from ..table.told import say, say_made
from .keys import HELP, KEYS, LEAVE, TAG_LETTERS

HELP_TEXTS = (
    N_("Each side has a strip of pixels, an NFC pad and six buttons. A disc laid on the pad is an order spent."),
    N_("A green pixel is a Regular order, a yellow one an Irregular order; spent ones are small rings."),
    N_("Begin a turn: OK held (D for side A, L for side B). Then one key an order: 1, 2 ... or 7, 8 ..."),
    N_("While an ARO window is open, the other side reacts by ARO or a trooper's tag, then PASS."),
    N_("A casualty: the State disc, then the trooper. Undo: PASS held (S or K)."),
    N_("What the rules refuse changes nothing: red, with the rule and the reason."),
)
#: Fewer rows than this have no room for positions, which are for whoever works on the tray.
ROWS_FOR_POSITIONS = 32


@dataclass
class Shown:
    """What is to be drawn, in the language it is drawn in."""

    address: str = ""
    caption: str = ""
    frame: LampFrame | None = None
    done: Sequence[Text] = ()
    positions: Sequence[str] = ()
    mode: str = "story"
    """`story`, `keys` (they are a person's), `tags` (a trooper is being chosen) or `help`."""
    side: Seat = Seat.A
    tags: Sequence[str] = field(default_factory=tuple)


def composed(shown: Shown, width: int, height: int, translate: Callable[[str], str]) -> list[Text]:
    """The lines of the screen: never more than `height`, none wider than `width`. Pure."""
    lines = [_head(shown, width, translate), *_wrapped(Text(shown.caption, style="bold"), width, 3), Text()]
    if shown.frame is not None:
        lines += _lines(frame_to_text(shown.frame, translate=translate), width)
    legend = _flow("", [(SHAPES[letter], translate(name)) for letter, name in LEGEND], width, style="dim")
    if shown.mode == "help":
        foot = [line for text in HELP_TEXTS for line in _wrapped(Text(translate(text)), width, 3)]
        room = height - len(lines) - 1
        return [*lines, Text(), *foot[: max(0, room)]][:height]
    foot = _foot(shown, width, translate)
    room = height - len(lines) - len(foot)
    if room >= len(legend) + 1:
        lines += legend
        room -= len(legend)
    middle = [line for text in shown.done for line in _wrapped(text, width, 2)]
    if height >= ROWS_FOR_POSITIONS:
        middle += [line for text in shown.positions for line in _wrapped(Text(text, style="dim"), width, 1)]
    middle = middle[-(room - 2) :] if room > 2 else middle[-1:] if room > 1 else []
    lines += [Text(), *middle] if middle else []
    lines = lines[: max(1, height - len(foot))]
    gap = [Text()] * (height - len(lines) - len(foot))
    return [*lines, *gap, *foot][:height]


def _head(shown: Shown, width: int, translate: Callable[[str], str]) -> Text:
    """The first line: what this is, where the page is, the way out."""
    keys = [("space", translate(N_("let me play")))] if shown.mode == "story" else [(HELP, translate(N_("help")))]
    if shown.mode in ("help", "tags"):
        keys = [("space", translate(N_("back")))]
    keys.append((LEAVE, translate(N_("leave"))))
    ways = "   ".join(f"{translate(N_('space')) if key == 'space' else key} {label}" for key, label in keys)
    page = f"➜ {shown.address}" if shown.address else ""
    name = "order tray"
    spare = width - len(page) - len(ways) - len(name) - 8
    start = f" {name}   " if spare >= 0 else " "
    gap = max(1, width - len(start) - len(page) - len(ways) - 1)
    head = Text(start, style="bold reverse")
    head.append(page, style="bold reverse")
    head.append(" " * gap + ways + " ", style="reverse")
    head.truncate(width)
    return head


def _foot(shown: Shown, width: int, translate: Callable[[str], str]) -> list[Text]:
    """The keys, as many lines as it takes."""
    if shown.mode == "story":
        return []
    if shown.mode == "tags":
        items = list(zip(TAG_LETTERS, shown.tags, strict=False))
        title = translate(N_("Whose tag, side {seat}?")).format(seat=shown.side)
        return [Text(title, style="bold"), *_flow(f" {shown.side} ", items, width)]
    found: list[Text] = []
    for seat, keys in KEYS.items():
        found += _flow(f" {seat} ", [(one.key, translate(one.label)) for one in keys], width)
    return found


def _flow(head: str, items: Iterable[tuple[str, str]], width: int, style: str = "") -> list[Text]:
    """Keys (or marks) with their meaning, line after line, the first headed by the side."""
    lines = [Text().append(head, style="bold reverse")]
    for key, label in items:
        item = Text().append(f"  {key}", style=style or "bold cyan").append(f" {label}", style=style)
        if lines[-1].cell_len + item.cell_len > width:
            lines.append(Text(" " * len(head)))
        lines[-1].append_text(item)
    return lines


def _wrapped(text: Text, width: int, most: int) -> list[Text]:
    """A text in lines of `width`, at most so many, the last cut off."""
    lines = list(text.wrap(_MEASURE, width))
    if len(lines) > most:
        lines = lines[:most]
        lines[-1].rstrip()
        lines[-1].truncate(width - 1)
        lines[-1].append("…")
    return lines


def _lines(text: Text, width: int) -> list[Text]:
    found = list(text.split("\n", allow_blank=True))
    for line in found:
        line.truncate(width)
    return found


_MEASURE = Console(width=80)


class Screen:
    """Draws the table whenever it changes. On a terminal in place; elsewhere line after line."""

    def __init__(
        self, service: TableService, console: Console, translate: Callable[[str], str], address: str = ""
    ) -> None:
        self._service = service
        self._console = console
        self._translate = translate
        self._shown = Shown(address=address)
        self._done: deque[Text] = deque(maxlen=8)
        self._positions: deque[str] = deque(maxlen=4)
        self._live: Live | None = None
        self._forget = service.listen(self._heard)

    def __enter__(self) -> Screen:
        if self._console.is_terminal:
            self._live = Live(self._drawn(), console=self._console, auto_refresh=False, screen=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def tell(self, caption: str) -> None:
        """The next step of the story (a message id)."""
        self._shown.caption = self._translate(caption)
        if self._live is None:
            self._console.print(f"\n{self._shown.caption}", highlight=False)
        self.refresh()

    def show_keys(self) -> None:
        """From now on the keys are a person's, and the story is off the screen."""
        self._shown.mode = "keys"
        self._done.clear()
        self._positions.clear()
        self.refresh()

    def show_tags(self, side: Seat, tags: Sequence[str]) -> None:
        """List the troopers of a side, by letters."""
        self._shown.mode, self._shown.side, self._shown.tags = "tags", side, tags
        self.refresh()

    def show_help(self) -> None:
        """Say in a few words how one plays."""
        self._shown.mode = "help"
        self.refresh()

    def back(self) -> None:
        """The keys again."""
        self._shown.mode = "keys"
        self.refresh()

    @property
    def tags(self) -> tuple[Seat, Sequence[str]]:
        """The troopers that are listed, and whose they are."""
        return self._shown.side, self._shown.tags

    @property
    def mode(self) -> str:
        """What is shown now (see `Shown.mode`)."""
        return self._shown.mode

    def settled(self) -> None:
        """A step is done; where nothing is redrawn in place, show the strips once."""
        if self._live is None and self._service.frame is not None:
            self._console.print(frame_to_text(self._service.frame, translate=self._translate))

    def _heard(self, notice: Notice) -> None:
        outcome = notice.outcome
        if outcome is not None and outcome.refusal is not None:
            text = explain_touch(outcome.refusal, self._translate)
            self._note(Text.assemble((f" {outcome.refusal.rule} ", "bold white on red"), " ", text))
        elif outcome is not None and outcome.steps:
            position = summary(outcome.table.game)
            self._positions.append(position)
            if self._live is None:
                self._console.print(Text(position, style="dim"), highlight=False)
            if self._shown.mode != "story":
                self._drop_refusals()
                self._note(Text(self._told(outcome), style="italic"))
        self.refresh()

    def _told(self, outcome: Outcome) -> str:
        """What the table understood, in the player's words."""
        if outcome.back is not None:
            who = next((step.back for step in outcome.steps if step.back), "?")
            what = say_made(outcome.back, self._translate)
            return self._translate(N_("{who} took back: {what}")).format(who=who, what=what)
        told = "" if outcome.meant is None else say(outcome.meant, self._translate)
        return told if outcome.side is None else f"{outcome.side}: {told}"

    def _drop_refusals(self) -> None:
        """What was refused is over once something was accepted."""
        self._done.clear()

    def _note(self, text: Text) -> None:
        self._done.append(text)
        if self._live is None:
            self._console.print(text, highlight=False)

    def refresh(self) -> None:
        """Draw again."""
        if self._live is not None:
            self._live.update(self._drawn(), refresh=True)

    def _drawn(self) -> RenderableType:
        shown = self._shown
        shown.frame, shown.done, shown.positions = self._service.frame, tuple(self._done), tuple(self._positions)
        if shown.mode != "story":
            shown.caption = self._next()
        width, height = self._console.size
        return Group(*composed(shown, width, height, self._translate))

    def _next(self) -> str:
        """What may be done next, in the words of the page."""
        table = self._service.table
        if table is None:
            return ""
        view = public_view(table.game)
        hint = hint_of(table, view, self._translate, links=self._service.link_states())
        head = self._translate(N_("Now it is your tray."))
        return f"{head} {hint['text']}" if not table.game.position else str(hint["text"])

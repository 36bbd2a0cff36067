"""What the demo shows in the terminal: the strips as coloured cells, the story, what was just done, the keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from ..lights import frame_to_text
from ..lights.terminal import legend_to_text
from ..messages import N_
from ..rules import summary
from ..service.table_service import Notice, TableService
from ..table import explain_touch

KEYS = (
    N_("A:  1 2 Regular of group 1, 2   3 Irregular  4 Lieutenant  5 Tactical  6 Impetuous"),
    N_("    q BASIC  w SHORT  e LONG  a ARO  s PASS  d OK   D next phase (OK held)   S undo (PASS held)"),
    N_("B:  7 8 Regular of group 1, 2   9 Irregular  0 Lieutenant  - Tactical  = Impetuous"),
    N_("    u BASIC  i SHORT  o LONG  j ARO  k PASS  l OK   L next phase (OK held)   K undo (PASS held)"),
    N_("    x leaves"),
)


class Screen:
    """Draws the table whenever it changes. On a terminal in place; elsewhere line after line."""

    def __init__(self, service: TableService, console: Console, translate: Callable[[str], str]) -> None:
        self._service = service
        self._console = console
        self._translate = translate
        self._caption = ""
        self._done: deque[Text] = deque(maxlen=4)
        self._keys = False
        self._live: Live | None = None
        self._forget = service.listen(self._heard)

    def __enter__(self) -> Screen:
        if self._console.is_terminal:
            self._live = Live(self._drawn(), console=self._console, auto_refresh=False, screen=False)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()
        if self._live is not None:
            self._live.stop()

    def tell(self, caption: str) -> None:
        """The next step of the story (a message id)."""
        self._caption = self._translate(caption)
        if self._live is None:
            self._console.print(f"\n{self._caption}", highlight=False)
        self.refresh()

    def show_keys(self) -> None:
        """From now on the keys are a person's."""
        self._keys = True
        self._caption = self._translate(N_("Now it is your tray."))
        self.refresh()

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
            self._note(Text(summary(outcome.table.game), style="dim"))
        self.refresh()

    def _note(self, text: Text) -> None:
        self._done.append(text)
        if self._live is None:
            self._console.print(text, highlight=False)

    def refresh(self) -> None:
        """Draw again."""
        if self._live is not None:
            self._live.update(self._drawn(), refresh=True)

    def _drawn(self) -> RenderableType:
        frame = self._service.frame
        strips = Text() if frame is None else frame_to_text(frame, translate=self._translate)
        parts: list[RenderableType] = [
            Panel(Text(self._caption, style="bold"), title="order tray", title_align="left", border_style="cyan"),
            Panel(Group(strips, Text(), legend_to_text(translate=self._translate)), border_style="grey50"),
            *self._done,
        ]
        if self._keys:
            parts += [Text(), *(Text(self._translate(line), style="cyan") for line in KEYS)]
        return Group(*parts)

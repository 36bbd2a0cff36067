"""Lights: what each lamp shows (pure), and the outputs that show it.

Pure half: `render(view, link) -> LampFrame`, `frame_to_text`, `frame_to_svg`. Outputs: see README.md of this folder.
"""

from ordertray.on_demand import load_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray.lights.frame import LampFrame, Pixel
    from ordertray.lights.picture import frame_to_svg
    from ordertray.lights.rendering import render
    from ordertray.lights.state import LinkState, Side, TableState, read_view
    from ordertray.lights.terminal import frame_to_text

__all__ = [
    "LampFrame",
    "LinkState",
    "Pixel",
    "Side",
    "TableState",
    "frame_to_svg",
    "frame_to_text",
    "read_view",
    "render",
]

__getattr__ = load_names(
    __name__,
    frame="LampFrame Pixel",
    picture="frame_to_svg",
    rendering="render",
    state="LinkState Side TableState read_view",
    terminal="frame_to_text",
)

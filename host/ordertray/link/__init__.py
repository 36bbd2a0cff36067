"""The host's side of the serial link to the trays: see README.md."""

from ordertray.on_demand import load_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray.link.clock import MonotonicClock, wall_ms
    from ordertray.link.errors import (
        BoardNotFoundError,
        LinkError,
        NoAnswerError,
        NotATrayError,
        PortBusyError,
        PortDeniedError,
        PortLostError,
        ProtocolMismatchError,
    )
    from ordertray.link.finder import PICO, BoardFinder, BoardSpec, describe
    from ordertray.link.host_end import HostEnd
    from ordertray.link.model import EventHandler, TrayEvent, TrayStatus
    from ordertray.link.port import Holder, Port, holders, open_port
    from ordertray.link.tray_link import TrayLink
    from ordertray.link.trays import Trays
    from ordertray.link.user import user_name

__all__ = [
    "PICO",
    "BoardFinder",
    "BoardNotFoundError",
    "BoardSpec",
    "EventHandler",
    "Holder",
    "HostEnd",
    "LinkError",
    "MonotonicClock",
    "NoAnswerError",
    "NotATrayError",
    "Port",
    "PortBusyError",
    "PortDeniedError",
    "PortLostError",
    "ProtocolMismatchError",
    "TrayEvent",
    "TrayLink",
    "TrayStatus",
    "Trays",
    "describe",
    "holders",
    "open_port",
    "user_name",
    "wall_ms",
]

__getattr__ = load_names(
    __name__,
    clock="MonotonicClock wall_ms",
    errors=(
        "BoardNotFoundError LinkError NoAnswerError NotATrayError PortBusyError PortDeniedError "
        "PortLostError ProtocolMismatchError"
    ),
    finder="PICO BoardFinder BoardSpec describe",
    host_end="HostEnd",
    port="Holder Port holders open_port",
    tray_link="EventHandler TrayEvent TrayLink TrayStatus",
    trays="Trays",
    user="user_name",
)

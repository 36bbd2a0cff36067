"""The host's side of the serial link to the trays."""

from ordertray.link.host_end import HostEnd

__all__ = ["HostEnd"]

"""What can go wrong with a tray's port: each error is one sentence for a person, with the way out."""

from __future__ import annotations


class LinkError(Exception):
    """A tray cannot be reached; the text names the place and the way out."""


class BoardNotFoundError(LinkError):
    """No port is the board that was looked for; the text says what was looked for and what was found."""


class PortBusyError(LinkError):
    """Another process holds the port; the text says which."""


class PortDeniedError(LinkError):
    """This user may not open the port; the text says which group may."""


class PortLostError(LinkError):
    """The port went away while it was open."""


class NotATrayError(LinkError):
    """The port is open, and what answers there is no tray; the text shows what it said."""


class ProtocolMismatchError(LinkError):
    """A tray answers, in another major version of the protocol."""


class NoAnswerError(LinkError):
    """A command was not answered: no session, the session ended, or the time was up."""

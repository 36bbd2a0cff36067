"""Collecting events while following what they lead to, since a check rests on the one before it."""

from __future__ import annotations

from . import events as e
from .evolving import evolve
from .game import Game


class Course:
    """The events of one action so far, and the game after them."""

    def __init__(self, game: Game, *happened: e.Event) -> None:
        """`game` is the one that the action is made in."""
        self.game = game
        self.position = game.position + 1
        self.events: list[e.Event] = []
        for event in happened:
            self.add(event)

    def add(self, event: e.Event) -> None:
        """One more event."""
        self.events.append(event)
        self.game = evolve(self.game, event)

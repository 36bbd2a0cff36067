"""What a disc or tag means on a pad: by itself, or as the second of two touches."""

from __future__ import annotations

from dataclasses import replace

from ..rules import Game, Refusal, Seat, play
from ..rules import actions as a
from ..rules.counting import null_state
from ..rules.editions import RETREAT_CHECK, STATES
from ..rules.game import OFF_TABLE, TABLE
from ..rules.naming import marker_place
from ..tokens.model import Token, TokenKind
from ..tokens.virtual import disc_numbers
from .model import DiscTouch, Pending, TagTap
from .plan import Plan, Stop
from .reasons import refused
from .spending import order_disc, own_order_left, spend

#: Troopers of a Coordinated Order (CMD-04).
MOST_COORDINATED = 4

_OF_A_TROOPER = frozenset({TokenKind.TROOPER, TokenKind.IRREGULAR, TokenKind.TACTICAL, TokenKind.IMPETUOUS})


def disc(plan: Plan, touch: TagTap | DiscTouch) -> None:
    """A disc or tag was laid on a pad, or its button pressed on a page."""
    token = _token(plan, touch)
    owner = Seat(token.owner)
    side = touch.seat
    if isinstance(touch, TagTap) and touch.shared:
        side = _whose_pad(plan, touch.seat, owner)
    pending = plan.waiting.get(side)
    if pending is not None and pending.what in _SECOND and _SECOND[pending.what](plan, side, token, pending):
        return
    if token.kind is TokenKind.STATE:
        plan.wait(side, "state", token.state)
    elif token.kind is TokenKind.COMMAND:
        if owner is not side:
            raise Stop(refused("other-pad", seat=str(owner)))
        plan.wait(side, "command")
    elif token.kind is TokenKind.TROOPER:
        _trooper_tag(plan, side, owner, token.trooper or "", shared=isinstance(touch, TagTap) and touch.shared)
    else:
        waiting = plan.waiting.get(owner)
        actor = waiting.word if waiting is not None and waiting.what in ("actor", "lieutenant") else None
        if isinstance(touch, DiscTouch) and touch.actor is not None:
            actor = touch.actor
        plan.owner = owner
        order_disc(plan, side, owner, token, actor)


def _token(plan: Plan, touch: TagTap | DiscTouch) -> Token:
    if isinstance(touch, DiscTouch):
        role = touch.role
        if role.trooper is not None:
            role = replace(role, trooper=listed_name(plan.game, touch.seat, role.trooper))
        return Token("", role, str(touch.seat))
    token = plan.table.tokens.get(touch.uid)
    if token is None:
        raise Stop(refused("unknown-tag", uid=touch.uid))
    return token


def listed_name(game: Game, seat: Seat, name: str) -> str:
    """The roster id of a trooper of `seat` that may be called `marker-N`; any other name as it is (INF)."""
    place = marker_place(game, seat, name)
    return name if place is None else game.army(seat).troopers[place].id


def _whose_pad(plan: Plan, pad: Seat, owner: Seat) -> Seat:
    """Whose hand it was on the only pad of a table: of the side that waits for a second touch, else of the owner."""
    waiting = [seat for seat in (owner, owner.other) if seat in plan.waiting]
    return next((seat for seat in waiting if plan.waiting[seat].what in ("state", "order", "command")), owner)


# --- the second of two touches ---------------------------------------------------------------------------------------
# Each answers whether the disc completed what waits, or took it back; else the disc is meant by itself.


def _after_state(plan: Plan, side: Seat, token: Token, pending: Pending) -> bool:
    if token.kind is TokenKind.COMMAND:
        return False
    if token.kind is TokenKind.STATE:
        if token.state != pending.word:
            return False
        del plan.waiting[side]
        plan.means("waits-no-more")
        return True
    if token.kind is TokenKind.REGULAR:
        trooper = numbered_trooper(plan.game, token)
        again = token.uid if token.uid else f"{token.group} {token.number}"
        if pending.disc != again:
            plan.wait(side, "state", pending.word, disc=again)
            return True
    elif token.kind in _OF_A_TROOPER:
        trooper = _trooper_of(plan.game, token)
    else:
        raise Stop(refused("tap-a-trooper"))
    del plan.waiting[side]
    _record(plan, side, Seat(token.owner), trooper, pending.word)
    return True


def _record(plan: Plan, seat: Seat, owner: Seat, trooper: str, state: str | None) -> None:
    """Set a state. A disc that names none goes round: Unconscious, Dead, well again."""
    plan.means("state")
    if state is None:
        place = plan.game.army(owner).index.get(trooper)
        states = plan.game.side(owner).troopers[place].states if place is not None else frozenset()
        if "dead" in states:
            plan.do(a.ClearState(seat, owner, trooper, "dead"))
            return
        state = "dead" if "unconscious" in states else "unconscious"
    plan.do(a.RecordState(seat, owner, trooper, state))


def _after_command(plan: Plan, side: Seat, token: Token, pending: Pending) -> bool:
    if token.kind is TokenKind.STATE:
        return False
    if token.kind is TokenKind.COMMAND:
        del plan.waiting[side]
        plan.means("waits-no-more")
        return True
    if token.owner != side:
        raise Stop(refused("command-own"))
    if token.kind is TokenKind.IRREGULAR:
        _convert(plan, side, _trooper_of(plan.game, token))
    elif token.kind is TokenKind.TROOPER:
        _command_tag(plan, side, token.trooper or "", pending)
    elif token.kind is TokenKind.REGULAR:
        del plan.waiting[side]  # refused or not, these tags have had their disc
        if len(pending.troopers) < 2:
            raise Stop(refused("command-tags"))
        _coordinate(plan, side, token.group or 0, pending.troopers)
    else:
        raise Stop(refused("command-tags"))
    return True


def _convert(plan: Plan, side: Seat, trooper: str) -> None:
    plan.do(a.UseToken(side, "convert", (trooper,)))
    del plan.waiting[side]
    plan.means("convert")


def _command_tag(plan: Plan, side: Seat, trooper: str, pending: Pending) -> None:
    """One with an Irregular order of its own: that becomes Regular. Others gather for a Coordinated Order."""
    if not pending.troopers and plan.would(a.UseToken(side, "convert", (trooper,))):
        _convert(plan, side, trooper)
        return
    troopers = pending.troopers
    if trooper in troopers:
        troopers = tuple(one for one in troopers if one != trooper)
    elif len(troopers) == MOST_COORDINATED:
        raise Stop(refused("command-most"))
    else:
        troopers = (*troopers, trooper)
    plan.wait(side, "command", None, troopers=troopers)


def _coordinate(plan: Plan, side: Seat, group: int, troopers: tuple[str, ...]) -> None:
    from .spending import ready_for_an_order, voiced

    ready_for_an_order(plan, side)
    plan.do(a.UseToken(side, "coordinate", troopers, (group,)))
    voiced(plan, side)
    plan.means("coordinated", group=group)


def _after_order(plan: Plan, side: Seat, token: Token, pending: Pending) -> bool:
    if token.kind is not TokenKind.TROOPER:
        return False
    owner = Seat(token.owner)
    spend(plan, owner, pending.word or "", None, token.trooper)
    plan.waiting.pop(side, None)
    return True


_SECOND = {"state": _after_state, "command": _after_command, "order": _after_order}


def _trooper_of(game: Game, token: Token) -> str:
    """The trooper a disc stands for: by name, or the one of that number in its group."""
    return token.trooper if token.trooper is not None else numbered_trooper(game, token)


def numbered_trooper(game: Game, token: Token) -> str:
    """The trooper that a numbered disc of a group stands for. Raises `Stop` if there is none."""
    if token.group is None or token.number is None:
        raise Stop(refused("tap-a-trooper"))
    members = troopers_of_discs(game, Seat(token.owner), token.group, token.kind)
    if token.number > len(members):
        raise Stop(refused("no-trooper-of-disc", group=token.group, number=token.number))
    return members[token.number - 1]


def troopers_of_discs(game: Game, owner: Seat, group: int, kind: TokenKind = TokenKind.REGULAR) -> list[str]:
    """Whom the numbered discs of a group stand for, number 1 first: its Regular troopers, as the roster lists them."""
    army = game.army(owner)
    if kind is not TokenKind.IRREGULAR:
        return [who for who in disc_numbers(army) if army.troopers[army.index[who]].group == group]
    return [
        trooper.id
        for trooper in army.troopers
        if trooper.group == group and trooper.training == "irregular" and not trooper.is_peripheral
    ]


# --- a trooper's tag by itself ---------------------------------------------------------------------------------------


def _trooper_tag(plan: Plan, side: Seat, owner: Seat, trooper: str, *, shared: bool) -> None:
    """The reactive side's trooper reacts; the active side's says who acts, now or with the next order."""
    active = plan.game.state.active
    if owner is not side:
        if active is not None and owner is not active and plan.window():
            raise Stop(refused("aro-pad", seat=str(owner)))
        raise Stop(refused("other-pad", seat=str(owner)))
    if active is None or owner is not active:
        plan.do(a.DeclareAro(owner, trooper, None, None if active is None else plan.first_target(active)))
        plan.means("aro")
        plan.waiting.pop(side, None)
    elif plan.game.state.phase == STATES:
        _future_lieutenant(plan, side, trooper)
    elif _may_arrive(plan, owner, trooper):
        plan.do(a.Arrive(owner, trooper))
        plan.means("arrive")
    else:
        _actor(plan, side, trooper)


def _future_lieutenant(plan: Plan, side: Seat, trooper: str) -> None:
    """In the States Phase of a turn in Loss of Lieutenant a tag says who will lead; else it says nothing."""
    army = plan.game.side(side)
    if not army.loss_of_lieutenant or army.retreat:
        raise Stop(refused("tag-in-states"))
    outcome = play(plan.game, a.NameLieutenant(side, trooper))
    if isinstance(outcome, Refusal):
        raise Stop(outcome)
    plan.wait(side, "lieutenant", trooper)


def _may_arrive(plan: Plan, owner: Seat, trooper: str) -> bool:
    """In Retreat a hidden trooper is placed before the order count (ORD-22)."""
    place = plan.game.army(owner).index.get(trooper)
    return (
        place is not None
        and plan.game.state.step == RETREAT_CHECK
        and plan.game.side(owner).retreat
        and plan.game.side(owner).troopers[place].place == OFF_TABLE
        and plan.would(a.Arrive(owner, trooper))
    )


def _actor(plan: Plan, side: Seat, trooper: str) -> None:
    order = plan.order
    name = a.NameTrooper(side, trooper)
    unnamed = order is not None and not order.troopers and order.group is not None
    if (unnamed and plan.would(name)) or (order is not None and not plan.express):
        plan.do(name)  # in full a refusal is told
        plan.means("actor")
        plan.waiting.pop(side, None)
    elif trooper not in plan.game.army(side).index:
        plan.do(name)  # refused, with its reason
    else:
        plan.wait(side, "actor", trooper)


def able(game: Game, owner: Seat, trooper: str) -> bool:
    """Whether a trooper is on the table and not Null."""
    place = game.army(owner).index.get(trooper)
    if place is None:
        return False
    state = game.side(owner).troopers[place]
    return state.place == TABLE and null_state(game.edition, state) is None


__all__ = ["able", "disc", "numbered_trooper", "own_order_left", "troopers_of_discs"]

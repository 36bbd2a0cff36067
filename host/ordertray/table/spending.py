"""Order discs: which order one spends, and for whom."""

from __future__ import annotations

from ..rules import Game, Seat
from ..rules import actions as a
from ..rules.charts import BASIC
from ..rules.counting import null_state
from ..rules.editions import IMPETUOUS, ORDERS, STATES, TACTICAL
from ..rules.game import NO_ORDERS, TABLE
from ..tokens.model import Token, TokenKind
from .plan import Plan, Stop
from .reasons import refused


def order_disc(plan: Plan, pad: Seat, owner: Seat, token: Token, actor: str | None) -> None:
    """An order disc of `owner`; `actor`: the trooper whose tag was tapped before it."""
    game, kind = plan.game, token.kind.value
    if game.state.phase == STATES and game.state.active is owner and token.kind is TokenKind.LIEUTENANT:
        name_lieutenant(plan, owner)
        return
    _once_more(plan, pad, owner, token)
    if game.state.phase == TACTICAL:  # first the count: which order a disc spends rests on it
        ready_for_an_order(plan, owner, IMPETUOUS if token.kind is TokenKind.IMPETUOUS else ORDERS)
        game = plan.game
    if token.kind is TokenKind.REGULAR:
        _regular(plan, owner, token, actor)
    elif token.kind is TokenKind.LIEUTENANT:
        spend(plan, owner, kind, None, actor)
    else:
        trooper = token.trooper or actor
        if trooper is None:
            plan.wait(pad, "order", kind)
            return
        if token.kind is TokenKind.IRREGULAR and _became_regular(game, owner, trooper):
            spend(plan, owner, "regular", _group_of(game, owner, trooper), trooper)
        elif (
            token.kind is TokenKind.TACTICAL
            and own_order_left(game, owner, trooper)
            and not _tactical(game, owner, trooper)
        ):
            spend(plan, owner, "irregular", None, trooper)  # n4: Tactical Awareness gives an Irregular one (ORD-09)
        else:
            spend(plan, owner, kind, None, trooper)
    plan.disc = token.uid or None
    plan.waiting.pop(owner, None)
    plan.waiting.pop(pad, None)


def _once_more(plan: Plan, pad: Seat, owner: Seat, token: Token) -> None:
    """A disc that was spent this turn is refused once while others of its kind and group lie there unspent.

    That is what a flipped cardboard token does. A second tap means it: perhaps the discs were mixed up.
    """
    if not token.uid or plan.game.state.active is not owner or (plan.order is not None and not plan.express):
        return
    waiting = plan.waiting.get(pad)
    if waiting is not None and waiting.what == "spent":
        del plan.waiting[pad]
        if waiting.disc == token.uid:
            return
    spent = plan.table.spent()
    if token.uid not in spent or not _left(plan.game, owner, token):
        return
    for other in plan.table.tokens:
        if other.owner == token.owner and (other.kind, other.group, other.trooper) == (
            token.kind, token.group, token.trooper
        ) and other.uid not in spent:  # fmt: skip
            plan.wait(pad, "spent", f"{token.kind} {token.group or ''}".strip(), disc=token.uid)
            raise Stop(refused("disc-spent"))


def _left(game: Game, owner: Seat, token: Token) -> int:
    side = game.side(owner)
    if token.kind is TokenKind.REGULAR:
        return dict(side.pools).get(token.group or 0, NO_ORDERS).left
    return side.lieutenant_orders.left if token.kind is TokenKind.LIEUTENANT else 0


def _regular(plan: Plan, owner: Seat, token: Token, actor: str | None) -> None:
    """A Regular disc: the pool's; where that is empty, in Loss of Lieutenant, the Irregular order of a trooper."""
    game, group = plan.game, token.group
    if group is None or dict(game.side(owner).pools).get(group, NO_ORDERS).left:
        spend(plan, owner, "regular", group, actor)
        return
    from .discs import troopers_of_discs

    numbered = troopers_of_discs(game, owner, group)
    trooper = actor
    if trooper is None and token.number is not None and token.number <= len(numbered):
        trooper = numbered[token.number - 1]
    if trooper is not None and own_order_left(game, owner, trooper):
        spend(plan, owner, "irregular", None, trooper)
        return
    left = [number for number, one in enumerate(numbered, 1) if own_order_left(game, owner, one)]
    if left and game.state.active is owner and game.state.phase == ORDERS:
        words = {"group": group, "discs": ", ".join(map(str, left))}
        if trooper is None:
            raise Stop(refused("tag-first", **words))
        if actor is not None:
            plan.waiting.pop(owner, None)
            raise Stop(refused("trooper-has-none", trooper=trooper, **words))
        raise Stop(refused("disc-has-none", number=token.number or 0, trooper=trooper, **words))
    spend(plan, owner, "regular", group, actor)


def own_order_left(game: Game, owner: Seat, trooper: str) -> bool:
    """Whether a trooper has an Irregular order of its own that it can spend."""
    place = game.army(owner).index.get(trooper)
    if place is None:
        return False
    state = game.side(owner).troopers[place]
    left = bool(state.irregular.left or state.fixed.left)
    return left and state.place == TABLE and null_state(game.edition, state) is None


def _became_regular(game: Game, owner: Seat, trooper: str) -> bool:
    """Whether an Irregular trooper's order is in the pool this turn (converted, or by Inspiring Leadership)."""
    place = game.army(owner).index.get(trooper)
    if place is None:
        return False
    state = game.side(owner).troopers[place]
    pools = dict(game.side(owner).pools)
    return not (state.irregular.total or state.fixed.total) and state.group in pools and pools[state.group].left > 0


def _tactical(game: Game, owner: Seat, trooper: str) -> bool:
    place = game.army(owner).index.get(trooper)
    return place is not None and bool(game.side(owner).troopers[place].tactical.left)


def _group_of(game: Game, owner: Seat, trooper: str) -> int:
    return game.side(owner).troopers[game.army(owner).index[trooper]].group


def spend(plan: Plan, seat: Seat, kind: str, group: int | None, trooper: str | None) -> None:
    """Spend an order; express: close the one before it, reach the phase, and take the first skill for announced."""
    ready_for_an_order(plan, seat, IMPETUOUS if kind == "impetuous" else ORDERS)
    plan.do(a.Spend(seat, kind, group, () if trooper is None else (trooper,)))
    voiced(plan, seat)
    plan.means("order", kind=kind, **({} if group is None else {"group": group}))


def ready_for_an_order(plan: Plan, seat: Seat, phase: str = ORDERS) -> None:
    """Express: whatever is open is over, and the phase is reached in which such an order is spent."""
    if plan.express and plan.game.state.active is seat:
        plan.close_order(seat)
        if plan.game.state.phase != STATES:
            plan.advance(seat, phase)


def voiced(plan: Plan, seat: Seat) -> None:
    """Express: the first skill is announced by voice, and the other side's window is open."""
    if plan.express and plan.game.state.active is seat:
        plan.do(a.DeclareSkill(seat, BASIC), implied=True)


def name_lieutenant(plan: Plan, seat: Seat) -> None:
    """The trooper whose tag was tapped is the new Lieutenant (LOL-03). Whose it was stays on that side."""
    waiting = plan.waiting.get(seat)
    if waiting is None or waiting.what != "lieutenant":
        raise Stop(refused("tag-of-lieutenant"))
    plan.do(a.NameLieutenant(seat, waiting.word or ""))
    del plan.waiting[seat]
    plan.means("lieutenant")

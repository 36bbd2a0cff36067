"""The order expenditure sequence after the order is spent: skills, AROs, resolution (ACT)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from .. import actions as a
from .. import events as e
from ..charts import BASIC, LABELS
from ..counting import able_to_react, activated_ids, delay_over, is_marker, may_take_pool_order
from ..course import Course
from ..editions import CHARTED, Edition
from ..evolving import evolve
from ..game import OFF_TABLE, TABLE, Game, Order
from ..naming import marker_place, names_for
from ..refusals import Refusal
from ..seats import SEATS, Seat
from .common import Decision, able, find, on_table, order_at, retreat_allows, under_way
from .conclusion import departure, judge_team_aros, settle_end, settle_peripherals, unsettled_peripherals


def declare_skill(game: Game, action: a.DeclareSkill) -> Decision:
    """The first or second skill (ACT-01, ACT-02, RET-11)."""
    seat, sequence, order = action.seat, game.edition.sequence, game.state.order
    misplaced = order_at(game, seat, sequence.first_skill, sequence.second_skill)
    if misplaced and (game.state.active is not seat or order is None):
        return misplaced
    assert order is not None
    said = _label_and_name(game.edition, action)
    if isinstance(said, Refusal):
        return misplaced or said
    label, name = said
    # Before the step: of a skill that the order can never hold, "not now" would be half the truth.
    if refusal := _content(game.edition, order, label) or misplaced:
        return refusal
    if order.kind == "impetuous" and (refusal := _impetuous(game.edition, order, label, name)):
        return refusal
    idle: tuple[str, ...] = ()
    if game.side(seat).retreat:
        if order.kind == "coordinated":  # who may not do it is Idle and keeps nobody from it (CMD-04)
            barred = [p for p in order.troopers if retreat_allows(game, seat, (p,), label, name)]
            if len(barred) == len(order.troopers) and barred:
                return retreat_allows(game, seat, tuple(barred), label, name) or ()
            idle = _references(game, seat, barred)
        elif refusal := retreat_allows(game, seat, _actors(game, seat), label, name):
            return refusal
    if not order.as_one:
        return (e.SkillDeclared(game.position + 1, seat, label, name, idle),)
    if name is not None and name.lower() not in game.edition.team_skills:  # the Leader's own (FT-03)
        idle = _references(game, seat, order.troopers[1:])
    declared = e.SkillDeclared(game.position + 1, seat, label, name, idle)
    if name is None or name.lower() != "suppressive fire":
        return (declared,)
    course = Course(game, declared)
    departure(course, seat, order.troopers[0], "suppressive-fire")
    return tuple(course.events)


def _references(game: Game, seat: Seat, places: Iterable[int]) -> tuple[str, ...]:
    troopers = game.army(seat).troopers
    return tuple(f"{seat}:{troopers[place].id}" for place in places)


def _impetuous(edition: Edition, order: Order, label: str, name: str | None) -> Refusal | None:
    """Refuses a skill that an Impetuous activation does not take (SEQ-08); a label alone where one of them bears it."""
    first, second, alone = edition.impetuous_moves
    chart = edition.chart

    def fits(skills: frozenset[str]) -> bool:
        if name is not None:
            return name.lower() in skills
        return any(chart[skill].label == label for skill in skills if skill in chart)

    if not order.skills:
        taken = fits(first) or fits(alone) or (edition.impetuous_either_order and fits(second))
    else:
        said = order.skills[0]
        moved = said.label == BASIC if said.name is None else said.name.lower() in first
        taken = (moved and fits(second)) or (edition.impetuous_either_order and fits(first))
    return None if taken else Refusal("SEQ-08", "impetuous-skill", {"name": name or edition.label_names[label]})


def _label_and_name(edition: Edition, action: a.DeclareSkill) -> tuple[str, str | None] | Refusal:
    """The label of a declared skill, and its name as the chart writes it (ACT-01)."""
    label, name = action.label, action.name
    if label is not None and label not in LABELS:
        return Refusal("ACT-01", "no-such-word", {"word": label})
    if name is not None:
        if refusal := _skill_name(name):
            return refusal
        known = edition.chart.get(name.lower())
        if known is not None:
            if known.label is None:
                return Refusal("ACT-01", "reaction-only", {"name": known.name})
            if label is not None and label != known.label:
                names = edition.label_names
                return Refusal("ACT-01", "label-mismatch", {"name": known.name, "label": names[known.label]})
            label, name = known.label, known.name
    if label is None:
        return Refusal("ACT-01", "label-needed", {"name": name})
    return label, name


def _content(edition: Edition, order: Order, label: str) -> Refusal | None:
    """Refuses a skill that the order cannot hold besides those it has (ACT-02)."""
    if len(order.skills) > 1:
        return Refusal("ACT-02", "third-skill")
    if order.skills and (order.skills[0].label, label) not in edition.skill_pairs:
        names = edition.label_names
        return Refusal("ACT-02", "bad-pair", {"first": names[order.skills[0].label], "second": names[label]})
    return None


def _skill_name(name: str) -> Refusal | None:
    """Refuses a name that no line of the notation can hold."""
    if name and name.isprintable() and '"' not in name and name == " ".join(name.split()):
        return None
    return Refusal("ACT-16", "bad-skill-name")


def _actors(game: Game, seat: Seat) -> tuple[int, ...]:
    """Who acts: those named; of an unnamed trooper's group nobody, unless all of them are bound alike by Retreat."""
    order = game.state.order
    assert order is not None
    if order.troopers or order.captive is not None:
        return order.troopers
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    candidates = tuple(
        place
        for place, state in enumerate(side.troopers)
        if state.group == order.group and state.place == TABLE and may_take_pool_order(edition, army, side, place)
    )
    free = any(retreat_allows(game, seat, (place,), "short", "") is None for place in candidates)
    return () if free else candidates


def end(game: Game, action: a.End) -> Decision:
    """No second skill (ACT-02)."""
    refusal = order_at(game, action.seat, game.edition.sequence.second_skill)
    return refusal or (e.SecondSkillForgone(game.position + 1, action.seat),)


def _window(game: Game, seat: Seat) -> Refusal | None:
    """Refuses unless a window is open for `seat` (ACT-05, ACT-09)."""
    if refusal := under_way(game):
        return refusal
    if game.state.active is seat:
        return Refusal("ACT-09", "not-reactive")
    order, sequence = game.state.order, game.edition.sequence
    if order is None or order.step not in (sequence.first_aro, sequence.second_aro):
        return Refusal("ACT-05", "window-closed")
    return None


def _reactor(game: Game, seat: Seat, name: str) -> Refusal | None:
    """Refuses a trooper that has no ARO against this order (ACT-04 to ACT-07)."""
    order = game.state.order
    assert order is not None
    place = find(game, seat, name, "ACT-04")
    if isinstance(place, Refusal):
        return place
    if refusal := on_table(game, seat, place, "ACT-04"):
        return refusal
    if any(aro.trooper == name for aro in order.declared):
        return Refusal("ACT-07", "has-reacted", {"trooper": name})
    if name in order.delayed and (order.step == game.edition.sequence.first_aro or not delay_over(game)):
        return Refusal("ACT-19", "waits", {"trooper": name})
    if name in order.passed:
        if name in order.passed[: order.passed_before]:
            return Refusal("ACT-06", "passed-before", {"trooper": name})
        return Refusal("ACT-05", "has-passed", {"trooper": name})
    return None


def _anybody(game: Game, seat: Seat, wanted: int) -> Refusal | None:
    """Refuses when so many are not left to react; reactions by unnamed troopers take one each (ACT-07)."""
    order = game.state.order
    assert order is not None
    unnamed = sum(1 for aro in order.declared if aro.trooper is None)
    if any(islice(able_to_react(game, seat), unnamed + wanted - 1, None)):
        return None
    return Refusal("ACT-07", "nobody-reacts")


def declare_aro(game: Game, action: a.DeclareAro) -> Decision:
    """One ARO (ACT-04 to ACT-11, RET-11)."""
    seat, edition, name = action.seat, game.edition, action.name
    if refusal := _window(game, seat):
        return refusal
    reactors = () if action.trooper is None else (action.trooper, *action.others)
    if len(reactors) > 1 and len(set(reactors)) < len(reactors):
        return Refusal("ACT-07", "has-reacted", {"trooper": action.trooper})
    before = game
    arrivals: tuple[e.Event, ...] = ()
    for reactor in reactors:
        if _comes_by_aro(game, seat, reactor):
            arrivals = (*arrivals, e.Arrived(before.position + 1, seat, reactor, 0))
            game = evolve(game, arrivals[-1])
        if refusal := _reactor(game, seat, reactor):
            return refusal
    if refusal := _anybody(game, seat, len(reactors) or 1):
        return refusal
    label = None
    if name is not None:
        if refusal := _skill_name(name):
            return refusal
        known = edition.chart.get(name.lower())
        if known is not None:
            if not known.aro:
                return Refusal("ACT-11", "not-an-aro", {"name": known.name})
            label, name = known.label, known.name
        elif name.lower() in CHARTED:  # another edition's
            return Refusal("ACT-11", "not-an-aro", {"name": name})
    if action.by is not None and action.by not in edition.aro_reasons:
        return Refusal("ACT-04", "bad-reason", {"by": action.by})
    target = _target(game, action)
    if isinstance(target, Refusal):
        return target
    position = before.position + 1
    if not reactors:
        return (e.AroDeclared(position, seat, None, name, target, action.by),)
    declared = []
    for who in reactors:
        if refusal := _skill_for(game, seat, who, label, name):
            return refusal
        declared.append(e.AroDeclared(position, seat, who, name, target, action.by))
    return (*arrivals, *declared)


def _comes_by_aro(game: Game, seat: Seat, reactor: str) -> bool:
    """Whether a hidden trooper is placed by its ARO (ORD-22)."""
    place = game.army(seat).index.get(reactor)
    if place is None or game.army(seat).troopers[place].deploy != "hidden":
        return False
    state = game.side(seat).troopers[place]
    return state.place == OFF_TABLE and able(game, seat, place) is None


def _skill_for(game: Game, seat: Seat, reactor: str, label: str | None, name: str | None) -> Refusal | None:
    """Refuses a skill that this trooper cannot react with: in Retreat, or with its controller (RET-11, ORD-23)."""
    army, order = game.army(seat), game.state.order
    place = army.index[reactor]
    if game.side(seat).retreat and (
        refusal := retreat_allows(game, seat, (place,), BASIC if label == BASIC else "", name)
    ):
        return refusal
    if name is None or not army.controlled:
        return None
    controller = army.troopers[place].controller or reactor
    family = {controller, *(army.troopers[other].id for other in army.peripherals[army.index[controller]])}
    assert order is not None
    for aro in order.declared:
        same = aro.name is None or aro.name.lower() == name.lower()
        if aro.trooper in family and not same:
            return Refusal("ORD-23", "same-aro", {"trooper": aro.trooper, "name": aro.name})
    return None


def _target(game: Game, action: a.DeclareAro) -> str | Refusal | None:
    """The one activated trooper that an ARO is against (ACT-08)."""
    names = activated_ids(game)
    if action.target is not None:
        known = _called(game, names)
        if action.target not in known:
            return Refusal("ACT-08", "bad-target", {"target": action.target})
        return known[action.target]
    if len(names) > 1:
        return Refusal("ACT-08", "target-needed")
    return names[0] if names else None


def _called(game: Game, names: tuple[str, ...]) -> dict[str, str]:
    """The activated troopers by what the reactive side calls them."""
    active = game.state.active
    assert active is not None
    markers = names_for(game, active, active.other)
    return {markers.get(name, name): name for name in names}


def pass_aro(game: Game, action: a.Pass) -> Decision:
    """Close the window, or say who could react and does not (ACT-05)."""
    seat, position = action.seat, game.position + 1
    if refusal := _window(game, seat):
        return refusal
    if action.everyone:
        rest = tuple(able_to_react(game, seat))
        lost = (e.AroPassed(position, seat, rest),) if rest else ()
        return (*lost, e.WindowClosed(position, seat))
    if not action.troopers:
        return (e.WindowClosed(position, seat),)
    for number, name in enumerate(action.troopers):
        if refusal := _reactor(game, seat, name):
            return refusal
        if name in action.troopers[:number]:
            return Refusal("ACT-05", "has-passed", {"trooper": name})
    return (e.AroPassed(position, seat, action.troopers),)


def delay(game: Game, action: a.Delay) -> Decision:
    """Who could react to a marker only waits for it to be revealed (ACT-19)."""
    seat, order, active = action.seat, game.state.order, game.state.active
    if refusal := _window(game, seat):
        return refusal
    assert order is not None and active is not None
    if order.step != game.edition.sequence.first_aro:
        return Refusal("ACT-19", "delay-late")
    side, army = game.side(active), game.army(active)
    markers = tuple(army.troopers[place].id for place in order.activated if is_marker(side.troopers[place]))
    if not markers:
        return Refusal("ACT-19", "no-marker")
    if not action.troopers:
        return Refusal("ACT-19", "unnamed-trooper")
    for number, name in enumerate(action.troopers):
        if refusal := _reactor(game, seat, name):
            return refusal
        if name in action.troopers[:number]:
            return Refusal("ACT-19", "waits", {"trooper": name})
    return (e.AroDelayed(game.position + 1, seat, action.troopers, markers),)


def check(game: Game, action: a.Check) -> Decision:
    """The ARO validity step of the original N4 sequence (ACT-14)."""
    step = game.edition.sequence.validity
    if step is None:
        return Refusal("ACT-14", "no-validity")
    if refusal := order_at(game, action.seat, step):
        return refusal
    idle = _idle(game, action.seat, action.idle, reactors_only=True)
    if isinstance(idle, Refusal):
        return idle
    return (e.ValidityChecked(game.position + 1, action.seat, idle),)


def resolve(game: Game, action: a.Resolve) -> Decision:
    """Resolution (ACT-15)."""
    sequence = game.edition.sequence
    if refusal := order_at(game, action.seat, sequence.resolution, sequence.validity):
        return refusal
    idle = _idle(game, action.seat, action.idle, reactors_only=False)
    if isinstance(idle, Refusal):
        return idle
    return (e.Resolved(game.position + 1, action.seat, idle),)


def _idle(game: Game, seat: Seat, names: tuple[str, ...], *, reactors_only: bool) -> tuple[str, ...] | Refusal:
    """`SEAT:ID` of each trooper named as Idle; a bare id is looked for on the active side first."""
    if not names:
        return ()
    order = game.state.order
    assert order is not None
    army = game.army(seat)
    active = () if reactors_only else tuple(name if ":" in name else f"{seat}:{name}" for name in activated_ids(game))
    if not reactors_only and not active:  # an unnamed trooper acted: any of its group may be meant
        active = tuple(
            f"{seat}:{trooper.id}"
            for trooper, state in zip(army.troopers, game.side(seat).troopers, strict=True)
            if state.group == order.group and state.place == TABLE
        )
    involved = (*active, *(f"{seat.other}:{aro.trooper}" for aro in order.declared if aro.trooper is not None))
    idle: list[str] = []
    for said in names:
        name = _by_id(game, said)
        options = [name] if ":" in name else [f"{seat}:{name}", f"{seat.other}:{name}"]
        found = next((who for who in options if who in involved), None)
        if found is None:
            return Refusal("ACT-15", "not-involved", {"trooper": said})
        if found not in idle:
            idle.append(found)
    return tuple(idle)


def _by_id(game: Game, reference: str) -> str:
    """`SEAT:marker-N` by the trooper's id; anything else as it is."""
    seat, separator, name = reference.partition(":")
    place = marker_place(game, Seat(seat), name) if separator and seat in ("A", "B") else None
    return reference if place is None else f"{seat}:{game.army(Seat(seat)).troopers[place].id}"


def done(game: Game, action: a.Done) -> Decision:
    """Conclusion (ACT-13 step 5.2)."""
    if refusal := order_at(game, action.seat, game.edition.sequence.conclusion):
        return refusal
    ended = e.OrderEnded(game.position + 1, action.seat)
    a_side, b_side = game.state.seats
    quiet = not (a_side.teams or b_side.teams or a_side.retreat or b_side.retreat)
    if quiet and not any(any(unsettled_peripherals(game, seat)) for seat in SEATS):
        return (ended,)
    course = Course(game)
    judge_team_aros(course)
    course.add(ended)
    settle_peripherals(course)
    settle_end(course)
    return tuple(course.events)

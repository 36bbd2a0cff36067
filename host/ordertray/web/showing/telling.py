"""What happened, in words: a line of the history from the events of one touch. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...messages import N_, Translator
from ...rules import Event, Seat
from ...rules import events as e
from ...rules.words import PHASES, REACTIONS, STATES
from ...table.model import Meant
from ...table.told import LABELS, ORDER_KINDS, say

TOKEN_USES: Mapping[str, str] = {
    "convert": N_("Irregular order becomes Regular"),
    "group": N_("move to another group"),
    "unpossess": N_("end Possessed"),
    "strip": N_("remove two Regular orders of the opponent"),
    "cap": N_("opponent may use one Command Token this turn"),
    "suppress": N_("put a trooper in Suppressive Fire"),
    "hold": N_("ignore Retreat"),
    "coordinate": N_("Coordinated Order"),
    "guts": N_("pass or fail a Guts Roll"),
    "reroll": N_("repeat a Doctor or Engineer roll"),
    "team": N_("make a Fireteam"),
    "reserve": N_("keep one more trooper in reserve"),
    "speedball": N_("a Speedball"),
    "other": N_("another use"),
}

#: Why a trooper leaves its Fireteam, or why that is cancelled.
CAUSES: Mapping[str, str] = {
    "said": N_("so it was said"),
    "irregular": N_("by its own order"),
    "lieutenant": N_("as Lieutenant, by its own order"),
    "impetuous": N_("Impetuous"),
    "group": N_("changes group"),
    "gone": N_("off the table"),
    "null": N_("Null"),
    "isolated": N_("Isolated"),
    "suppressive-fire": N_("Suppressive Fire"),
    "aro": N_("by another ARO"),
    "alone": N_("nobody else is left"),
    "retreat": N_("in Retreat"),
}

OVER: Mapping[str, str] = {
    "rounds": N_("The last round has been played."),
    "all-lost-in-retreat": N_("Everybody of an army in Retreat is lost or gone."),
    "retreat": N_("A turn begun in Retreat has ended."),
}


def tell(events: Iterable[Event], translate: Translator) -> str:
    """One line for the events of a touch, as they were made visible to the reader; empty if there is nothing to say."""
    return " · ".join(text for event in events if (text := _tell(event, translate)))


#: What a touch is about, by its meaning; the other events are only what the table did on the way there.
_ABOUT: Mapping[str, tuple[type[Event], ...]] = {
    "order": (e.OrderSpent, e.GameEnded),
    "coordinated": (e.TokenSpent, e.OrderSpent),
    "aro": (e.AroDeclared, e.Arrived),
    "actor": (e.TrooperNamed,),
    "state": (e.StateRecorded, e.StateCleared, e.GameEnded),
    "convert": (e.TokenSpent, e.OrderConverted),
    "arrive": (e.Arrived,),
    "lieutenant": (e.LieutenantChanged,),
}
#: Told by what the player pressed.
_PRESSED = frozenset({"first", "second", "corrected", "no-second", "over", "window", "voice"})
_ON_THE_WAY = (e.WindowClosed, e.SecondSkillForgone, e.ValidityChecked, e.Resolved, e.OrderEnded)


def tell_touch(meant: Meant, events: Iterable[Event], translate: Translator) -> str:
    """One line for a touch, by what was meant; empty if the reader saw nothing of it."""
    seen = list(events)
    if not seen:
        return ""
    if meant.code in _PRESSED:
        text = say(meant, translate)
        over = [event for event in seen if isinstance(event, e.GameEnded)]
        return " · ".join([text, tell(over, translate)] if over else [text])
    about = _ABOUT.get(meant.code)
    if about is None:
        told = [event for event in seen if not isinstance(event, _ON_THE_WAY)]
        return tell(told or seen, translate)
    return tell([event for event in seen if isinstance(event, about)], translate)


def _tell(event: Event, _: Translator) -> str:
    match event:
        case e.OptionSet(name=name, value=value):
            return _(N_("Option {name}")).format(name=f"{name} {value or ''}".strip())
        case e.Undone(by=by, action=action):
            return _undone(by, action, _)
        case e.GameEnded(reason=reason):
            return _(N_("The battle is over")) + ": " + _(OVER.get(reason, reason))
        case e.TurnStarted(round=number):
            return _(N_("Round {round}: the turn begins")).format(round=number)
        case e.TurnEnded():
            return _(N_("The turn ends"))
        case e.StepEntered(phase=phase, step=step):
            return "" if step is not None else _(PHASES[phase])
        case e.OrdersCounted():
            return _counted(event, _)
        case e.OrderSpent():
            return _spent(event, _)
        case e.TokenSpent(use=use):
            return _(N_("Command Token")) + ": " + _(TOKEN_USES.get(use, use))
        case e.OrdersStripped(groups=groups):
            return _(N_("loses Regular orders of group {groups}")).format(groups=", ".join(map(str, groups)))
    return _in_order(event, _) or _of_troopers(event, _)


def _undone(by: Seat | None, action: str | None, _: Translator) -> str:
    if action is None:
        return _(N_("Taken back")) if by is None else _(N_("{seat} took something back")).format(seat=by)
    if by is None:
        return _(N_("Taken back: {action}")).format(action=action)
    return _(N_("{seat} took back: {action}")).format(seat=by, action=action)


def _counted(event: e.OrdersCounted, _: Translator) -> str:
    parts = [_(N_("group {group}: {count}")).format(group=g, count=n) for g, n in sorted(event.pools.items())]
    sums = (
        ("irregular", sum(event.irregular.values()) + sum(event.fixed.values())),
        ("lieutenant", event.lieutenant),
        ("tactical", sum(event.tactical.values())),
        ("impetuous", sum(event.impetuous.values())),
    )
    parts += [f"{_(ORDER_KINDS[kind])}: {count}" for kind, count in sums if count]
    return _(N_("Orders counted")) + " (" + ", ".join(parts) + ")"


def _spent(event: e.OrderSpent, _: Translator) -> str:
    parts = [_(N_("{kind} order")).format(kind=_(ORDER_KINDS.get(event.kind, event.kind)))]
    if event.group is not None:
        parts.append(_(N_("group {group}")).format(group=event.group))
    text = ", ".join(parts)
    troopers = event.troopers or (() if event.captive is None else (event.captive,))
    return f"{text}: {', '.join(troopers)}" if troopers else text


def _in_order(event: Event, _: Translator) -> str:
    match event:
        case e.TrooperNamed(trooper=trooper):
            return _(N_("acts: {trooper}")).format(trooper=", ".join((trooper, *event.others)))
        case e.SkillDeclared(label=label, name=name):
            return _(name) if name else _(LABELS[label])
        case e.SecondSkillForgone():
            return _(N_("no second skill"))
        case e.AroDeclared():
            return _aro(event, _)
        case e.AroPassed(troopers=troopers):
            return _(N_("no ARO of {troopers}")).format(troopers=", ".join(troopers))
        case e.WindowClosed():
            return _(N_("ARO window closed"))
        case e.ValidityChecked(idle=idle):
            return _idle(_(N_("AROs checked")), idle, _)
        case e.Resolved(idle=idle):
            return _idle(_(N_("resolved")), idle, _)
        case e.OrderEnded():
            return _(N_("order over"))
    return ""


def _idle(text: str, idle: tuple[str, ...], _: Translator) -> str:
    return text if not idle else f"{text} ({_(N_('Idle'))}: {', '.join(idle)})"


def _aro(event: e.AroDeclared, _: Translator) -> str:
    words = [_(N_("ARO")) + ":", event.trooper or _(N_("somebody"))]
    words += [_(event.name)] if event.name else []
    words += ["→", event.target] if event.target else []
    words += [f"({_(REACTIONS.get(event.by, event.by))})"] if event.by else []
    return " ".join(words)


#: Events that are about one trooper, or an army as a whole: a text with the event's own fields.
_PLAIN: Mapping[type[Event], str] = {
    e.RetreatDeclared: N_("Retreat!"),
    e.RetreatCancelled: N_("Retreat is over"),
    e.StrategosChosen: N_("Strategos: Lieutenant orders will be Regular ones"),
    e.WoundCaused: N_("{trooper} caused a wound (Frenzy)"),
    e.Arrived: N_("{trooper} is on the table"),
    e.Evacuated: N_("{trooper} leaves the table"),
    e.CounterintelligenceUsed: N_("answers with Counterintelligence"),
    e.TeamJoined: N_("{trooper} comes back to its Fireteam"),
    e.TeamLed: N_("{trooper} leads the Fireteam now"),
    e.TeamAroNamed: N_("the Fireteam's ARO is that of {trooper}"),
    e.OrderConverted: N_("the order of {trooper} is Regular now"),
    e.RetreatIgnored: N_("{trooper} ignores Retreat"),
}


#: Events that are about several troopers.
_SEVERAL: Mapping[type[Event], str] = {
    e.ReinforcementsCalled: N_("the Reinforcements come: {troopers}"),
    e.TeamFormed: N_("a Fireteam: {troopers}"),
    e.PeripheralsDisconnected: N_("Disconnected: {troopers}"),
    e.PeripheralsReconnected: N_("connected again: {troopers}"),
    e.AroDelayed: N_("{troopers} wait for the marker to be revealed"),
}


def _of_troopers(event: Event, _: Translator) -> str:
    match event:
        case e.LieutenantChecked(lost=lost):
            return _(N_("Loss of Lieutenant")) if lost else ""
        case e.LieutenantChanged(trooper=named):
            if named is None:
                return _(N_("a new Lieutenant is named"))
            return _(N_("new Lieutenant: {trooper}")).format(trooper=named)
        case e.StateRecorded(owner=owner, trooper=trooper, state=state):
            return f"{owner}:{trooper} → {_(STATES.get(state or '', state or ''))}"
        case e.StateCleared(owner=owner, trooper=cleared, state=state):
            template = N_("{trooper} no longer {state}")
            return _(template).format(trooper=f"{owner}:{cleared}", state=_(STATES.get(state or "", state or "")))
        case e.GroupChanged(trooper=moved, group=group):
            if moved is None:
                return _(N_("somebody changes group"))
            return _(N_("{trooper} → group {group}")).format(trooper=moved, group=group)
        case e.Revealed(trooper=revealed, marker=marker):
            return _(N_("{marker} is revealed: {trooper}")).format(marker=marker, trooper=revealed)
        case e.ScoreRecorded(points=points):
            return _(N_("{points} Objective Points")).format(points=points)
        case e.TokensCapped(limit=1):
            return _(N_("may use one Command Token this turn"))
        case e.TokensCapped(limit=limit):
            return _(N_("may use {limit} Command Tokens this turn")).format(limit=limit)
        case e.TeamLeft(trooper=leaver, cause=cause):
            return _(N_("{trooper} leaves its Fireteam ({cause})")).format(trooper=leaver, cause=_(CAUSES[cause]))
        case e.TeamCancelled(trooper=leader, cause=cause):
            template = N_("the Fireteam of {trooper} is no more ({cause})")
            return _(template).format(trooper=leader, cause=_(CAUSES[cause]))
    several = _SEVERAL.get(type(event))
    if several is not None:
        return _(several).format(troopers=", ".join(getattr(event, "troopers", ())))
    plain = _PLAIN.get(type(event))
    return "" if plain is None else _(plain).format(trooper=getattr(event, "trooper", ""))

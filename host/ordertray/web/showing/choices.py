"""What a seat may do now, folded by family so that a page can show it: `legal_actions`, nothing added. Pure.

Coordinated Orders of three or four troopers are left out (there are hundreds): the page lets troopers be added one by
one, and the rules judge the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...rules import Action, Seat
from ...rules import actions as a

MOST_COORDINATED = 2


def _empty() -> dict[str, Any]:
    return {
        "turn": [],
        "spend": [],
        "name": [],
        "labels": [],
        "skills": [],
        "end": False,
        "aro": {"unnamed": False, "troopers": {}, "targets": [], "lost": []},
        "pass": False,
        "pass_all": False,
        "check": False,
        "resolve": False,
        "idle": [],
        "done": False,
        "states": {},
        "frenzy": [],
        "arrive": [],
        "evacuate": [],
        "reveal": [],
        "lieutenant": [],
        "tokens": {},
        "teams": {},
        "delay": [],
        "undo": False,
        "undo_own": False,
    }


def fold(actions: Iterable[Action]) -> dict[str, Any]:
    """Actions of one seat by family; see `unfold` for what each part stands for."""
    found = _empty()
    spends: dict[tuple[str, int | None], dict[str, Any]] = {}
    for action in actions:
        match action:
            case a.Start():
                found["turn"].append("start")
            case a.Next():
                found["turn"].append("next")
            case a.Strategos():
                found["turn"].append("strategos")
            case a.Reinforce():
                found["turn"].append("reinforce")
            case a.Reveal(trooper=trooper):
                found["reveal"].append(trooper)
            case a.Spend(kind=kind, group=group, troopers=troopers):
                entry = spends.setdefault(
                    (kind, group), {"kind": kind, "group": group, "alone": False, "troopers": [], "pairs": []}
                )
                if not troopers:
                    entry["alone"] = True
                elif len(troopers) == 1:
                    entry["troopers"].append(troopers[0])
                elif len(troopers) <= MOST_COORDINATED:
                    entry["pairs"].append(list(troopers))
            case a.NameTrooper(trooper=trooper):
                found["name"].append(trooper)
            case a.DeclareSkill(label=label, name=name):
                found["labels" if name is None else "skills"].append(label if name is None else name)
            case a.End():
                found["end"] = True
            case a.DeclareAro():
                _fold_aro(found["aro"], action)
            case a.Pass(troopers=troopers, everyone=everyone):
                if troopers:
                    found["aro"]["lost"].extend(troopers)
                else:
                    found["pass_all" if everyone else "pass"] = True
            case a.Check(idle=idle) | a.Resolve(idle=idle):
                _fold_resolution(found, action, idle)
            case a.Done():
                found["done"] = True
            case a.RecordState(owner=owner, trooper=trooper, state=state):
                _states(found, owner, trooper)["set"].append(state)
            case a.ClearState(owner=owner, trooper=trooper, state=state):
                _states(found, owner, trooper)["clear"].append(state)
            case a.Frenzy(trooper=trooper):
                found["frenzy"].append(trooper)
            case a.Arrive(trooper=trooper):
                found["arrive"].append(trooper)
            case a.Evacuate(trooper=trooper):
                found["evacuate"].append(trooper)
            case a.NameLieutenant(trooper=trooper):
                found["lieutenant"].append(trooper)
            case a.UseToken(use=use, troopers=troopers, groups=groups):
                if len(troopers) <= MOST_COORDINATED:
                    found["tokens"].setdefault(use, []).append({"troopers": list(troopers), "groups": list(groups)})
            case a.Delay(troopers=troopers):
                found["delay"].extend(troopers)
            case a.TeamUse(use=use, troopers=troopers):
                found["teams"].setdefault(use, []).extend(troopers)
            case a.Undo(seat=None):
                found["undo"] = True
            case a.Undo():
                found["undo_own"] = True
    found["spend"] = list(spends.values())
    return found


def _states(found: dict[str, Any], owner: Seat, trooper: str) -> dict[str, list[str]]:
    entry: dict[str, list[str]] = found["states"].setdefault(f"{owner}:{trooper}", {"set": [], "clear": []})
    return entry


def _fold_aro(aro: dict[str, Any], action: a.DeclareAro) -> None:
    if action.trooper is None:
        aro["unnamed"] = True
    elif action.name is None:
        aro["troopers"].setdefault(action.trooper, [])
    else:
        names = aro["troopers"].setdefault(action.trooper, [])
        if action.name not in names:
            names.append(action.name)
    if action.target is not None and action.target not in aro["targets"]:
        aro["targets"].append(action.target)


def _fold_resolution(found: dict[str, Any], action: Action, idle: tuple[str, ...]) -> None:
    name = "check" if isinstance(action, a.Check) else "resolve"
    if not idle:
        found[name] = True
    else:
        found["idle"] += [who for who in idle if who not in found["idle"]]


def unfold(seat: Seat, choices: dict[str, Any]) -> Iterator[Action]:
    """The actions that the choices stand for, without targets of AROs. For tests: what a page could send."""
    makers: dict[str, Callable[[Seat], Action]] = {
        "start": a.Start,
        "next": a.Next,
        "strategos": a.Strategos,
        "reinforce": a.Reinforce,
    }
    yield from (makers[word](seat) for word in choices["turn"])
    for entry in choices["spend"]:
        if entry["alone"]:
            yield a.Spend(seat, entry["kind"], entry["group"])
        for troopers in (*([trooper] for trooper in entry["troopers"]), *entry["pairs"]):
            yield a.Spend(seat, entry["kind"], entry["group"], tuple(troopers))
    yield from (a.NameTrooper(seat, trooper) for trooper in choices["name"])
    yield from (a.DeclareSkill(seat, label) for label in choices["labels"])
    yield from (a.DeclareSkill(seat, None, name) for name in choices["skills"])
    if choices["end"]:
        yield a.End(seat)
    yield from _unfold_window(seat, choices)
    if choices["done"]:
        yield a.Done(seat)
    for reference, states in choices["states"].items():
        owner, trooper = Seat(reference[0]), reference[2:]
        yield from (a.RecordState(seat, owner, trooper, state) for state in states["set"])
        yield from (a.ClearState(seat, owner, trooper, state) for state in states["clear"])
    yield from (a.Frenzy(seat, trooper) for trooper in choices["frenzy"])
    yield from (a.Arrive(seat, trooper) for trooper in choices["arrive"])
    yield from (a.Evacuate(seat, trooper) for trooper in choices["evacuate"])
    yield from (a.Reveal(seat, trooper) for trooper in choices["reveal"])
    yield from (a.NameLieutenant(seat, trooper) for trooper in choices["lieutenant"])
    for use, ways in choices["tokens"].items():
        yield from (a.UseToken(seat, use, tuple(way["troopers"]), tuple(way["groups"])) for way in ways)
    yield from (a.Delay(seat, (trooper,)) for trooper in choices["delay"])
    for use, troopers in choices["teams"].items():
        yield from (a.TeamUse(seat, use, (trooper,)) for trooper in troopers)
    if choices["undo"]:
        yield a.Undo()
    if choices["undo_own"]:
        yield a.Undo(seat)


def _unfold_window(seat: Seat, choices: dict[str, Any]) -> Iterator[Action]:
    aro = choices["aro"]
    for target in aro["targets"] or [None]:
        if aro["unnamed"]:
            yield a.DeclareAro(seat, None, None, target)
        for trooper, names in aro["troopers"].items():
            yield from (a.DeclareAro(seat, trooper, name, target) for name in (None, *names))
    if choices["pass"]:
        yield a.Pass(seat)
    if choices["pass_all"]:
        yield a.Pass(seat, everyone=True)
    yield from (a.Pass(seat, (trooper,)) for trooper in aro["lost"])
    for flag, make in (("check", a.Check), ("resolve", a.Resolve)):
        if choices[flag]:
            yield make(seat)
            yield from (make(seat, (who,)) for who in choices["idle"])

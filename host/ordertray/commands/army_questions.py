"""`army new`: a roster by questions and answers. Every answer is checked at once, the list as a whole at the end."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import typer

from ordertray.army.importing import slug
from ordertray.commands.terminal import echo
from ordertray.files.problems import did_you_mean
from ordertray.messages import Translator
from ordertray.rules.army import DEPLOYMENTS, KNOWN_SKILLS, TRAININGS, TROOPER_TYPES, Army, Trooper
from ordertray.rules.army_check import check_army
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS

MOST_TROOPERS = 60


def guided_army(translate: Translator) -> Army:
    """Ask for an army on the terminal. Raises `typer.Abort` when the player stops."""
    _ = translate
    name = _text(_("Name of the list"), "")
    edition_id = _choice(_("Edition"), tuple(EDITIONS), "n5", _)
    edition = EDITIONS[edition_id]
    points = int(_number(_("Points limit of the game"), 300, 1, whole=True, translate=_))
    army = Army(name, points, (), edition_id)
    echo(_("Now the troopers, one by one. An empty name ends the list."))
    while len(army.troopers) < MOST_TROOPERS:
        trooper = _trooper(army, _)
        if trooper is not None:
            army = replace(army, troopers=(*army.troopers, trooper))
            total = f"{army.total_points:g}"
            echo(_("  {id} added; {total} of {limit} points").format(id=trooper.id, total=total, limit=points))
            continue
        problems = check_army(army, edition)
        for problem in problems:
            echo(f"  {_(problem.template).format(**problem.params)} ({problem.rule})")
        if not problems or not typer.confirm(_("Go on adding? (no writes the list as it is)"), default=True):
            return army
    return army


def _trooper(army: Army, _: Translator) -> Trooper | None:
    name = _text(_("Trooper {number}: name").format(number=len(army.troopers) + 1), "")
    if not name:
        return None
    taken = {trooper.id for trooper in army.troopers}
    base = slug(name)
    proposed = next(i for i in (base, *(f"{base}-{n}" for n in range(2, 99))) if i not in taken)
    last = army.troopers[-1] if army.troopers else Trooper("first")
    kind = _choice(_("  type"), TROOPER_TYPES, last.type, _)
    halves = EDITIONS.get(army.edition or "", DEFAULT_EDITION).half_points
    cost = _number(_("  cost in points"), 0, 0, whole=not halves, translate=_)
    group = int(_number(_("  combat group"), last.group, 1, whole=True, translate=_))
    training = _choice(_("  training"), TRAININGS, "regular", _)
    lieutenant = False
    if training == "regular" and not any(trooper.lieutenant for trooper in army.troopers):
        lieutenant = typer.confirm(_("  Lieutenant?"), default=False)
    skills = _skills(_)
    deploy = _choice(_("  begins where"), DEPLOYMENTS, "table", _)
    controllers = [trooper.id for trooper in army.troopers if not trooper.is_peripheral]
    controller = ""
    if kind == "REM" and controllers and not lieutenant:
        controller = _choice(_("  peripheral of (empty: none)"), ("", *controllers), "", _)
    return Trooper(
        proposed, name, kind, cost, group, training, lieutenant, frozenset(skills), deploy, controller or None
    )


def filled_in(army: Army, place: int, translate: Translator) -> Army:
    """Ask for what an incomplete entry lacks. Raises `typer.Abort` when the player stops."""
    _ = translate
    trooper = army.troopers[place]
    others = [other for other in army.troopers if not other.is_peripheral and other is not trooper]
    echo(_("{id}: {name}, group {group}").format(id=trooper.id, name=trooper.name, group=trooper.group))
    if trooper.own_cost:  # a peripheral that was bought by itself: all but its controller is known
        controller = _choice(_("  peripheral of"), [other.id for other in others], "", _)
        group = army.troopers[army.index[controller]].group
        known = replace(trooper, controller=controller, group=group, incomplete=False)
        return replace(army, troopers=(*army.troopers[:place], known, *army.troopers[place + 1 :]))
    name = _text(_("  name"), trooper.name)
    kind = _choice(_("  type"), TROOPER_TYPES, trooper.type, _)
    halves = EDITIONS.get(army.edition or "", DEFAULT_EDITION).half_points
    cost = _number(_("  cost in points"), trooper.cost, 0, whole=not halves, translate=_)
    training = _choice(_("  training"), TRAININGS, trooper.training, _)
    lieutenant = trooper.lieutenant
    if training == "regular" and not any(other.lieutenant for other in others):
        lieutenant = typer.confirm(_("  Lieutenant?"), default=lieutenant)
    skills = _skills(_, sorted(trooper.skills))
    deploy = _choice(_("  begins where"), DEPLOYMENTS, trooper.deploy, _)
    taken = {other.id for other in army.troopers} - {trooper.id}
    stem = trooper.id if name == trooper.name else slug(name)
    known = replace(
        trooper,
        id=next(i for i in (stem, *(f"{stem}-{n}" for n in range(2, 999))) if i not in taken),
        name=name, type=kind, cost=cost, training=training, lieutenant=lieutenant, skills=frozenset(skills),
        deploy=deploy, incomplete=False,
    )  # fmt: skip
    return replace(army, troopers=(*army.troopers[:place], known, *army.troopers[place + 1 :]))


def _ask(prompt: str, default: str, check: Callable[[str], str | None], _: Translator) -> str:
    """Ask until `check` has nothing to say against the answer."""
    while True:
        answer = str(typer.prompt(prompt, default=default, show_default=bool(default))).strip()
        complaint = check(answer)
        if complaint is None:
            return answer
        echo(f"  ! {complaint}")


def _text(prompt: str, default: str) -> str:
    answer = str(typer.prompt(prompt, default=default, show_default=False)).strip()
    return "".join(letter for letter in answer if letter.isprintable())


def _choice(prompt: str, known: Collection[str], default: str, _: Translator) -> str:
    def complaint(answer: str) -> str | None:
        if answer in known:
            return None
        near = did_you_mean(answer, [word for word in known if word])
        if near:
            return _('"{found}" is not known; did you mean "{near}"?').format(found=answer, near=near)
        listed = ", ".join(word for word in known if word)
        return _('"{found}" is not known; it can be {known}').format(found=answer, known=listed)

    return _ask(f"{prompt} ({', '.join(word for word in known if word)})", default, complaint, _)


def _number(prompt: str, default: float, minimum: float, *, whole: bool, translate: Translator) -> float:
    step = 1.0 if whole else 0.5

    def complaint(answer: str) -> str | None:
        try:
            value = float(answer.replace(",", "."))
        except ValueError:
            value = -1
        if minimum <= value <= 9999 and value % step == 0:
            return None
        return translate("a number of at least {minimum}, please").format(minimum=f"{minimum:g}")

    value = float(_ask(prompt, f"{default:g}", complaint, translate).replace(",", "."))
    return int(value) if value == int(value) else value


def _skills(_: Translator, known: Collection[str] = ()) -> list[str]:
    def complaint(answer: str) -> str | None:
        for word in _words(answer):
            if word not in KNOWN_SKILLS:
                near = did_you_mean(word, KNOWN_SKILLS)
                if near:
                    return _('"{found}" is not known; did you mean "{near}"?').format(found=word, near=near)
        return None

    return _words(_ask(_("  skills, parted by commas (empty: none)"), ", ".join(known), complaint, _))


def _words(answer: str) -> list[str]:
    return [word.strip() for word in answer.split(",") if word.strip()]

"""Packages that load their names on demand say three times what they have; the three agree."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import ordertray

HOUSE = Path(ordertray.__file__).parent
ROOMS = sorted(
    path.parent.relative_to(HOUSE.parent).as_posix().replace("/", ".")
    for path in HOUSE.rglob("__init__.py")
    if "def __getattr__" in (text := path.read_text("utf-8")) or "__getattr__ = " in text
)


def checked_names(source: str) -> dict[str, str]:
    """Name: module, as the imports for the type checker have it."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for node in node.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_rooms_that_load_on_demand_are_found() -> None:
    assert {"ordertray.rules", "ordertray.journal", "ordertray.sim"} <= set(ROOMS)


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_has_at_run_time_what_the_type_checker_believes(name: str) -> None:
    package = import_module(name)
    assert package.__file__ is not None
    promised = checked_names(Path(package.__file__).read_text("utf-8"))
    assert set(promised) == set(package.__all__)
    for thing, module in promised.items():
        place = import_module(module if module.startswith("ordertray") else f"{name}.{module}")
        assert getattr(package, thing) is getattr(place, thing)
        assert not (Path(package.__file__).parent / f"{thing}.py").exists(), (
            "a module of that name would take its place"
        )


@pytest.mark.parametrize("name", ROOMS)
def test_a_name_that_a_room_does_not_have_is_told(name: str) -> None:
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        import_module(name).nothing_of_the_kind  # noqa: B018

"""Fixtures of the lamp tests. The harness is built when first needed; what cannot be built fails, it never skips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lights.gpio_harness.benches import FakeBench, LampBench, RegisterBench
from lights.gpio_harness.build import Harness, build_harness

BenchMaker = Callable[[Mapping[str, Any]], LampBench]
RegisterBenchMaker = Callable[..., RegisterBench]


@pytest.fixture(scope="session")
def harness() -> Harness:
    """The register model and the real RPi.GPIO extension."""
    return build_harness()


@pytest.fixture
def register_bench(harness: Harness, tmp_path: Path) -> Iterator[RegisterBenchMaker]:
    """Makes benches on the register model from a `[lamps]` table."""
    made: list[RegisterBench] = []

    def make(table: Mapping[str, Any], **options: Any) -> RegisterBench:
        place = tmp_path / f"bench{len(made)}"
        place.mkdir()
        made.append(RegisterBench(table, harness, place, **options))
        return made[-1]

    yield make
    for bench in made:
        bench.dispose()


@pytest.fixture(params=["fake", "registers"])
def make_bench(request: pytest.FixtureRequest) -> BenchMaker:
    """Makes benches of either kind: the tests that take this run on both."""
    if request.param == "fake":
        return FakeBench
    maker: RegisterBenchMaker = request.getfixturevalue("register_bench")
    return maker

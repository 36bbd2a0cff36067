"""Fixtures of the lamp tests. The harness is built when first needed; what cannot be built fails, it never skips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lights.gpio_harness.benches import ChipBench, FakeBench, LampBench, RegisterBench
from lights.gpio_harness.build import Harness, build_harness, fetch_chip_library

BenchMaker = Callable[[Mapping[str, Any]], LampBench]
RegisterBenchMaker = Callable[..., RegisterBench]
ChipBenchMaker = Callable[[Mapping[str, Any]], ChipBench]


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


@pytest.fixture(scope="session")
def chip_library() -> Path:
    """The folder with the real rpi-lgpio."""
    return fetch_chip_library()


@pytest.fixture
def chip_bench(chip_library: Path, tmp_path: Path) -> Iterator[ChipBenchMaker]:
    """Makes benches on the model of the GPIO chip from a `[lamps]` table."""
    made: list[ChipBench] = []

    def make(table: Mapping[str, Any]) -> ChipBench:
        place = tmp_path / f"chip{len(made)}"
        place.mkdir()
        made.append(ChipBench(table, chip_library, place))
        return made[-1]

    yield make
    for bench in made:
        bench.dispose()


@pytest.fixture(params=["fake", "registers", "chip"])
def make_bench(request: pytest.FixtureRequest) -> BenchMaker:
    """Makes benches of each kind: the tests that take this run on all."""
    if request.param == "fake":
        return FakeBench
    maker: BenchMaker = request.getfixturevalue("register_bench" if request.param == "registers" else "chip_bench")
    return maker

"""A pytest plugin for `make mutants`: a failing example is not made smaller, since only that it failed is asked for."""

from __future__ import annotations

from hypothesis import Phase, settings


def pytest_configure() -> None:
    """Once the tests' own profile is in force, before any test is read."""
    settings.register_profile("mutants", settings(), phases=(Phase.explicit, Phase.reuse, Phase.generate))
    settings.load_profile("mutants")

"""The pictures in the README are what the project draws today."""

from pathlib import Path

import pytest

from ordertray.demo.picture import pictures

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("number", "name"), [(0, "strips-aro.svg"), (1, "strips-retreat.svg")])
def test_pictures_are_up_to_date(number: int, name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == pictures()[number], "run: make pictures"

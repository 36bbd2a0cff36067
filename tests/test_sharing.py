"""What costs much to set up is set up once."""

from __future__ import annotations

import pytest

from sharing import share_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/hardware/test_hardware_bill.py::test_a", "tests/hardware/test_hardware_case.py::test_b[x]"),
        (
            "tests/firmware/test_on_micropython.py::test_on_micropython[firmware.test_clock-test_a]",
            "tests/firmware/test_on_micropython.py::test_on_micropython[firmware.test_clock-test_b]",
        ),
        ("tests/web/test_web_phone.py::test_a[large]", "tests/web/test_web_phone.py::test_b"),
    ],
)
def test_what_shares_goes_to_one_worker_and_nothing_else(one: str, other: str) -> None:
    assert share_of(one) == share_of(other)
    assert share_of(one) != share_of("tests/rules/test_properties_core.py::test_a")


def test_the_modules_for_micropython_go_apart_and_plain_tests_each_for_itself() -> None:
    names = [f"tests/firmware/test_on_micropython.py::test_on_micropython[firmware.{m}-test_a]" for m in ("x", "y")]
    assert share_of(names[0]) != share_of(names[1])
    assert share_of("tests/rules/test_a.py::test_b") == "tests/rules/test_a.py::test_b"

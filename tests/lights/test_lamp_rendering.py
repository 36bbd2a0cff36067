"""What the strips show for a public view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lights.views import BOTH_ONLINE, View, count, order, seat, view
from ordertray.lights import LampFrame, Pixel, Side, render
from ordertray.lights.frame import COLOURS, EFFECTS, OFF, PIXELS
from ordertray.lights.layout import FIELD, FIELDS


def shown(frame: LampFrame, side: Side, name: str) -> str:
    """A field as text: colour and effect letters, pixel by pixel ("gs gs gd ..")."""
    return " ".join(pixel.colour + pixel.effect for pixel in (frame.strip(side)[n] for n in FIELD[name].pixels))


def dark(length: int) -> str:
    return " ".join([".."] * length)


def test_fields_cover_each_pixel_once() -> None:
    numbers = [number for field in FIELDS for number in field.pixels]
    assert numbers == list(range(PIXELS))


@pytest.mark.rule("ORD-02")
def test_pool_counts_down_from_its_far_end_and_spent_differs_from_never_had() -> None:
    frame = render(view(a=seat(pools={"1": count(6, 4)})), BOTH_ONLINE)
    assert shown(frame, "A", "group1") == "gs gs gs gs gd gd .. .. .. .."
    assert shown(frame, "B", "group1") == dark(10)


@pytest.mark.rule("ORD-12")
def test_each_group_has_its_own_bar() -> None:
    frame = render(view(a=seat(pools={"1": count(3), "2": count(2, 1)})), BOTH_ONLINE)
    assert shown(frame, "A", "group1").startswith("gs gs gs ..")
    assert shown(frame, "A", "group2").startswith("gs gd ..")


def test_a_lone_second_group_is_not_shown_as_the_first() -> None:
    frame = render(view(a=seat(pools={"2": count(2)})), BOTH_ONLINE)
    assert shown(frame, "A", "group1") == dark(10)
    assert shown(frame, "A", "group2").startswith("gs gs ..")


@pytest.mark.rule("ORD-03")
def test_irregular_orders_stand_after_their_groups_pool_behind_a_dark_pixel() -> None:
    irregular = count(3, 2) | {"groups": {"1": count(2, 1), "2": count(1)}}
    frame = render(view(a=seat(pools={"1": count(4, 3), "2": count(2)}, irregular=irregular)), BOTH_ONLINE)
    assert shown(frame, "A", "group1") == "gs gs gs gd .. ys yd .. .. .."
    assert shown(frame, "A", "group2") == "gs gs .. ys .. .. .. .. .. .."


@pytest.mark.parametrize(
    ("overall", "bar"),
    [(count(1, 0), "gs .. yd .."), (count(0, 1), "gs .. ys ..")],
    ids=["the last one spent", "a view that contradicts itself"],
)
def test_a_single_irregular_order_of_no_known_group_is_shown_too(overall: dict[str, int], bar: str) -> None:
    frame = render(view(a=seat(pools={"1": count(1)}, irregular=overall)), BOTH_ONLINE)
    assert shown(frame, "A", "group1").startswith(bar)


def test_irregular_orders_of_no_known_group_are_shown_with_the_first() -> None:
    frame = render(view(a=seat(pools={"1": count(1), "2": count(1)}, irregular=count(2, 1))), BOTH_ONLINE)
    assert shown(frame, "A", "group1").startswith("gs .. ys yd ..")


def test_a_full_bar_gives_up_the_dark_pixel_not_an_order() -> None:
    irregular = count(3) | {"groups": {"1": count(3)}}
    frame = render(view(a=seat(pools={"1": count(7)}, irregular=irregular)), BOTH_ONLINE)
    assert shown(frame, "A", "group1") == "gs gs gs gs gs gs gs ys ys ys"


def test_more_orders_than_pixels_pulse_at_the_end_until_they_fit() -> None:
    assert shown(render(view(a=seat(pools={"1": count(12)})), BOTH_ONLINE), "A", "group1") == "gs " * 9 + "gp"
    assert shown(render(view(a=seat(pools={"1": count(12, 10)})), BOTH_ONLINE), "A", "group1") == " ".join(["gs"] * 10)
    assert shown(render(view(a=seat(pools={"1": count(12, 8)})), BOTH_ONLINE), "A", "group1") == "gs " * 8 + "gd gd"
    assert shown(render(view(a=seat(tactical=count(4))), BOTH_ONLINE), "A", "tactical") == "bs bp"


def test_a_third_group_shares_the_second_bar_behind_a_white_border() -> None:
    frame = render(view(a=seat(pools={"1": count(5), "2": count(3, 2), "3": count(2)})), BOTH_ONLINE)
    assert shown(frame, "A", "group2") == "gs gs gd wd gs gs .. .. .. .."


@pytest.mark.rule("ORD-06")
@pytest.mark.rule("ORD-07")
def test_orders_outside_the_pools_have_their_own_lamps() -> None:
    a = seat(lieutenant=count(2, 1), tactical=count(1), impetuous=count(2, 1))
    frame = render(view(a=a), BOTH_ONLINE)
    assert shown(frame, "A", "lieutenant") == "ps pd"
    assert shown(frame, "A", "tactical") == "bs .."
    assert shown(frame, "A", "impetuous") == "os od"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "ws"),
        ({"order": order()}, "wb"),
        ({"phase": "tactical", "step": "order-count"}, "wp"),
        ({"phase": "states"}, "wp"),
        ({"phase": "impetuous"}, "os"),
        ({"phase": "impetuous", "order": order()}, "ob"),
    ],
)
@pytest.mark.parametrize("active", ["A", "B"])
def test_turn_lamp_is_on_the_active_side_only_and_says_what_is_going_on(
    changes: dict[str, Any], expected: str, active: Side
) -> None:
    frame = render(view(active=active, **changes), BOTH_ONLINE)
    other: Side = "B" if active == "A" else "A"
    assert (shown(frame, active, "turn"), shown(frame, other, "turn")) == (expected, "..")


@pytest.mark.rule("ACT-09")
@pytest.mark.parametrize("active", ["A", "B"])
def test_aro_lamp_pulses_on_the_reactive_side_only_while_the_window_is_open(active: Side) -> None:
    other: Side = "B" if active == "A" else "A"
    frame = render(view(active=active, order=order(open_window=True)), BOTH_ONLINE)
    assert (shown(frame, other, "aro"), shown(frame, active, "aro")) == ("cp cp", dark(2))
    declared = render(view(active=active, order=order(open_window=True, declared=[{"trooper": "x"}])), BOTH_ONLINE)
    assert (shown(declared, other, "aro"), shown(declared, active, "aro")) == ("cp cs", dark(2))
    closed = render(view(active=active, order=order(declared=[{"trooper": "x"}])), BOTH_ONLINE)
    assert (shown(closed, other, "aro"), shown(closed, active, "aro")) == (dark(2), dark(2))


@pytest.mark.rule("RET-03")
def test_retreat_blinks_red_brings_loss_of_lieutenant_and_reddens_the_turn_lamp() -> None:
    frame = render(view(a=seat(retreat=True), b=seat(loss_of_lieutenant=True)), BOTH_ONLINE)
    assert (shown(frame, "A", "retreat"), shown(frame, "A", "loss_of_lieutenant")) == ("rb", "os")
    assert shown(frame, "A", "turn") == "rs"
    assert (shown(frame, "B", "retreat"), shown(frame, "B", "loss_of_lieutenant")) == ("..", "os")


@pytest.mark.parametrize(
    ("state", "expected"),
    [("online", "gs"), ("stale", "op"), ("fault", "ob"), ("offline", "rb"), ("absent", "..")],
)
def test_link_lamp_is_of_its_own_side(state: str, expected: str) -> None:
    frame = render(view(), {"A": state, "B": "online"})
    assert (shown(frame, "A", "link"), shown(frame, "B", "link")) == (expected, "gs")
    assert shown(render(view(), {"state": state}), "B", "link") == expected


def test_a_link_state_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"side B is 'wobbly'.*online, stale, fault, offline, absent"):
        render(view(), {"A": "online", "B": "wobbly"})


@pytest.mark.rule("SEQ-01")
@pytest.mark.parametrize("next_side", ["A", "B"])
def test_between_turns_the_lamp_pulses_on_the_side_that_begins_the_next(next_side: Side) -> None:
    frame = render(view(active=None, phase=None, to_start=next_side), BOTH_ONLINE)
    other: Side = "B" if next_side == "A" else "A"
    assert (shown(frame, next_side, "turn"), shown(frame, other, "turn")) == ("wp", "..")


@pytest.mark.parametrize("unstarted", [{}, view(active=None, phase=None)])
def test_when_nobody_is_next_both_turn_lamps_are_dim(unstarted: View) -> None:
    frame = render(unstarted, BOTH_ONLINE)
    for side in ("A", "B"):
        assert shown(frame, side, "turn") == "wd"
        assert shown(frame, side, "aro") == dark(2)


def test_after_the_game_the_bars_chase_and_nobody_has_the_turn() -> None:
    full = seat(pools={"1": count(5)}, lieutenant=count(1), retreat=True)
    frame = render(view(a=full, b=full, over="all rounds played", order=order(open_window=True)), BOTH_ONLINE)
    for side in ("A", "B"):
        assert shown(frame, side, "group1") == shown(frame, side, "group2") == " ".join(["wc"] * 10)
        assert shown(frame, side, "turn") == ".."
        assert shown(frame, side, "aro") == shown(frame, side, "lieutenant") == dark(2)
        assert shown(frame, side, "retreat") == "rb"


def test_the_wire_body_has_one_letter_per_pixel() -> None:
    frame = render(view(a=seat(pools={"1": count(2, 1)})), BOTH_ONLINE)
    body = frame.wire(12)
    assert body["f"] == 12
    assert body["A"] == ["gg............wg" + "." * 16, "sd............ss" + "." * 16]
    assert body["B"] == ["." * 15 + "g" + "." * 16, "." * 15 + "s" + "." * 16]


def test_frames_and_pixels_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="colour 'x'"):
        Pixel("x", "s")
    with pytest.raises(ValueError, match="off in both"):
        Pixel("g", ".")
    frame = render({}, {})
    with pytest.raises(ValueError, match="strip B has 31 pixels"):
        LampFrame(frame.a, (OFF,) * 31, frame.table)


counts = st.integers(0, 15).flatmap(lambda total: st.builds(count, st.just(total), st.integers(0, total)))
seats = st.builds(
    lambda pools, irregular, lieutenant, tactical, impetuous, retreat, lost: seat(
        pools=pools,
        irregular=count(sum(c["total"] for c in irregular.values()), sum(c["left"] for c in irregular.values()))
        | {"groups": irregular},
        lieutenant=lieutenant,
        tactical=tactical,
        impetuous=impetuous,
        retreat=retreat,
        loss_of_lieutenant=lost,
    ),
    st.dictionaries(st.sampled_from("12345"), counts, max_size=5),
    st.dictionaries(st.sampled_from("12345"), counts, max_size=5),
    counts,
    counts,
    counts,
    st.booleans(),
    st.booleans(),
)
views = st.builds(
    lambda a, b, active, phase, running, over: view(a=a, b=b, active=active, phase=phase, order=running, over=over),
    seats,
    seats,
    st.sampled_from(["A", "B", None]),
    st.sampled_from([None, "tactical", "impetuous", "orders", "states"]),
    st.sampled_from([None, order(), order(open_window=True)]),
    st.sampled_from([False, False, "rounds played"]),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(views)
def test_any_view_renders_to_whole_legal_strips_and_attention_lamps_never_contradict_it(some: View) -> None:
    frame = render(some, BOTH_ONLINE)
    for side in ("A", "B"):
        colours, effects = frame.letters(side)
        assert len(colours) == len(effects) == PIXELS
        assert set(colours) <= set(COLOURS) and set(effects) <= set(EFFECTS)
        state = some["seats"][side]
        assert (shown(frame, side, "retreat") == "rb") == state["retreat"]
        may_react = some["active"] not in (None, side) and not some["over"]
        opened = bool(some["order"]) and some["order"]["aro"]["open"]
        assert (shown(frame, side, "aro") != dark(2)) == (may_react and opened)
        if not some["over"]:
            # A dark bar means no orders left and none spent; a lit one means orders left.
            pool = state["pools"].get("1", count(0))
            irregular = state["irregular"]["groups"].get("1", count(0))
            bar = shown(frame, side, "group1")
            assert (bar == dark(10)) == (pool["total"] + irregular["total"] == 0) or pool["left"] + irregular[
                "left"
            ] > 0
            assert ("gs" in bar or "gp" in bar) == (pool["left"] > 0)
            assert ("ys" in bar or "yp" in bar) == (irregular["left"] > 0)


def test_rendering_is_a_function() -> None:
    some = view(a=seat(pools={"1": count(3, 1)}), order=order(open_window=True))
    assert render(some, BOTH_ONLINE) == render(some, BOTH_ONLINE)


@pytest.mark.parametrize(
    ("asks", "places", "pixel"),
    [
        ("touch", (28, 29), "wf"),
        ("again", (28, 29), "wq"),
        ("consent", range(10), "pc"),
        ("orders", (0, 1, 16, 10), "gq gq gq pq"),
        ("spent regular 1", (2,), "gq"),
        ("spent regular 2", (17,), "gq"),
        ("time", (14,), "wq"),
    ],
)
def test_what_the_table_asks_is_a_pattern_of_its_own(asks: str, places: Sequence[int], pixel: str) -> None:
    """Told from everything else by its rhythm, not by its colour; and all else stays as it was."""
    pools = {"1": count(3, 2), "2": count(2, 1)}
    seen = view(a=seat(pools=pools, lieutenant=count(1)))
    before = render(seen, BOTH_ONLINE).a
    frame = render(seen, BOTH_ONLINE, {"A": asks})
    wanted = pixel.split() * (1 if " " in pixel else len(places))
    assert [frame.a[place].colour + frame.a[place].effect for place in places] == wanted
    assert all(frame.a[place] == before[place] for place in range(32) if place not in places)
    assert frame.b == render(seen, BOTH_ONLINE).b
    effects = {frame.a[place].effect for place in places}
    assert effects.isdisjoint(one.effect for one in before), "no rhythm that the strip has otherwise"


def test_after_the_battle_nothing_is_asked() -> None:
    over = view(over="rounds")
    assert render(over, BOTH_ONLINE, {"A": "touch"}).a == render(over, BOTH_ONLINE).a

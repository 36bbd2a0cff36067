"""The contract of a touch in `express`, row by row (table/README.md): each in every phase where it can happen, for both
players as the active one, with a pad each and with one pad for both.
"""

from __future__ import annotations

import pytest

from ordertray.rules import Seat, Trooper, public_view
from ordertray.table import Outcome, Pace, explain_touch
from ordertray.table.asking import asks_of
from ordertray.table.model import PATIENCE_MS, TOGETHER_MS
from ordertray.table.told import say
from ordertray.tokens.model import TokenKind
from table.table_helpers import IRREGULAR, Players, army, lines, players, pool

A, B = Seat
REGULAR, TAG = TokenKind.REGULAR, TokenKind.TROOPER

both = pytest.mark.parametrize("seat", [A, B])


def told(outcome: Outcome) -> str:
    """What the table understood."""
    assert outcome.meant is not None, outcome.refusal
    return say(outcome.meant)


def why(outcome: Outcome) -> str:
    """Why it was refused, in words."""
    assert outcome.refusal is not None, "accepted"
    return explain_touch(outcome.refusal)


def skills(game: Players) -> list[str]:
    """Labels declared in the order in progress."""
    return [skill["label"] for skill in public_view(game.game)["order"]["skills"]]


def step(game: Players) -> str:
    """Where the order stands; empty if none is in progress."""
    order = public_view(game.game)["order"]
    return "" if order is None else str(order["step"])


class Table:
    """A game in the Orders Phase of `seat`; names of troopers follow the seat."""

    def __init__(self, seat: Seat, pace: Pace = Pace.EXPRESS, *extra: Trooper) -> None:
        self.me, self.other = seat, seat.other
        self.my, self.their = str(seat).lower(), str(seat.other).lower()
        mine = army(*extra, prefix=self.my)
        theirs = army(*extra, prefix=self.their)
        self.game = players(a=mine if seat is A else theirs, b=theirs if seat is A else mine, pace=pace, first=seat)
        self.game.to_orders(seat)

    def order(self) -> Outcome:
        """An order is begun with a Regular disc of group 1."""
        return self.game.tap(self.me, REGULAR, group=1)

    def at(self, where: str) -> None:
        """Bring an order to a step: `window`, `aro` (declared), `second`, `second window`, `resolution`."""
        self.order()
        if where == "aro":
            self.game.tag(self.other, f"{self.their}2")
        elif where in ("second", "second window"):
            self.game.press(self.other, "pass")
            if where == "second window":
                self.game.press(self.me, "short")
        elif where == "resolution":
            self.game.press(self.me, "pass")


WHERE = ("window", "aro", "second", "second window", "resolution")


# --- order disc ------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("where", WHERE)
def test_an_order_disc_closes_what_is_open_and_starts_the_next_order(seat: Seat, where: str) -> None:
    table = Table(seat)
    table.at(where)
    outcome = table.game.tap(seat, REGULAR, group=2)
    assert lines(outcome)[-2:] == [f"{seat} spend regular g2", f"{seat} skill basic"]
    assert told(outcome) == "Regular order, group 2"
    assert (step(table.game), skills(table.game)) == ("2.2", ["basic"])
    assert (pool(table.game, seat, 1), pool(table.game, seat, 2)) == (5, 1)


# --- labels ----------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("label", ["short", "basic"])
@pytest.mark.parametrize("where", ["window", "aro", "second"])
def test_short_and_basic_are_the_second_skill(seat: Seat, label: str, where: str) -> None:
    table = Table(seat)
    table.at(where)
    declared = public_view(table.game.game)["order"]["aro"]["declared"]
    outcome = table.game.press(seat, label)
    assert skills(table.game) == ["basic", label] and step(table.game) == "4.2"
    assert told(outcome) == f"{label.upper()}: second skill"
    assert public_view(table.game.game)["order"]["aro"]["declared"] == declared


@both
@pytest.mark.parametrize("label", ["short", "basic", "long"])
def test_a_label_without_an_order_or_after_the_second_skill_is_refused(seat: Seat, label: str) -> None:
    table = Table(seat)
    assert table.game.press(seat, label).refusal is not None
    table.at("second window")
    before = table.game.game
    outcome = table.game.press(seat, label)
    if label == "long":  # BASIC + LONG is never legal: it can only mean that the order was a Long skill
        assert skills(table.game) == ["long"]
    else:
        assert outcome.refusal is not None and table.game.game is before


@both
@pytest.mark.parametrize("where", WHERE)
def test_long_corrects_the_first_skill_and_aros_stay_declared(seat: Seat, where: str) -> None:
    table = Table(seat)
    table.at(where)
    declared = public_view(table.game.game)["order"]["aro"]["declared"]
    outcome = table.game.press(seat, "long")
    assert told(outcome) == "LONG: the order is a LONG skill"
    assert skills(table.game) == ["long"]
    assert public_view(table.game.game)["order"]["aro"]["declared"] == declared
    assert step(table.game) == ("2.2" if where in ("window", "aro") else "5")
    assert "already" in why(table.game.press(seat, "long"))


@both
@pytest.mark.parametrize("where", WHERE)
def test_short_held_makes_it_a_single_short_skill(seat: Seat, where: str) -> None:
    table = Table(seat)
    table.at(where)
    assert told(table.game.hold(seat, "short")) == "SHORT: the order is a SHORT skill"
    assert skills(table.game) == ["short"]
    assert pool(table.game, seat, 1) == 5
    assert table.game.press(seat, "ok").accepted and step(table.game) == ""


# --- PASS and OK -----------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("where", ["window", "aro", "second", "second window"])
def test_pass_of_the_active_side_is_no_second_skill_and_goes_to_resolution(seat: Seat, where: str) -> None:
    table = Table(seat)
    table.at(where)
    outcome = table.game.press(seat, "pass")
    assert step(table.game) == "5" and told(outcome) == "PASS: no second skill"


@both
def test_pass_of_the_active_side_with_nothing_to_pass_is_told_so(seat: Seat) -> None:
    table = Table(seat)
    assert "nothing to pass" in why(table.game.press(seat, "pass"))
    table.at("resolution")
    assert "nothing to pass" in why(table.game.press(seat, "pass"))


@both
@pytest.mark.parametrize("where", WHERE)
def test_ok_of_the_active_side_ends_the_order(seat: Seat, where: str) -> None:
    table = Table(seat)
    table.at(where)
    assert told(table.game.press(seat, "ok")) == "OK: the order is over"
    assert step(table.game) == "" and table.game.game.state.phase == "orders"


@both
@pytest.mark.parametrize("key", ["ok", "pass"])
@pytest.mark.parametrize("where", ["window", "aro", "second window"])
def test_ok_and_pass_of_the_reactive_side_end_the_reacting(seat: Seat, key: str, where: str) -> None:
    table = Table(seat)
    table.at(where)
    outcome = table.game.press(table.other, key)
    assert lines(outcome) == [f"{table.other} pass"] and told(outcome) == f"{key.upper()}: done reacting"
    assert table.game.press(table.other, key).refusal is not None  # no window is open any more


@both
def test_ok_held_with_orders_left_asks_once_and_the_second_hold_means_it(seat: Seat) -> None:
    table = Table(seat)
    table.order()
    before = table.game.game
    assert lines(table.game.hold(seat, "ok")) == []
    assert table.game.game is before and asks_of(table.game.table) == {str(seat): "orders"}
    table.order()  # an order instead: then it is asked anew
    assert asks_of(table.game.table) == {}
    assert lines(table.game.hold(seat, "ok")) == []
    assert told(table.game.hold(seat, "ok")) == "OK held: the turn is over"
    assert table.game.game.next_seat is table.other


@both
def test_ok_held_without_orders_left_ends_the_turn_at_once(seat: Seat) -> None:
    table = Table(seat)
    for group, count in ((1, 6), (2, 2)):
        for _ in range(count):
            table.game.tap(seat, REGULAR, group=group)
    table.game.tap(seat, TokenKind.LIEUTENANT)
    assert table.game.hold(seat, "ok").accepted and table.game.game.next_seat is table.other


# --- AROs ------------------------------------------------------------------------------------------------------------


@both
def test_an_aro_is_declared_on_its_own_side_only(seat: Seat) -> None:
    table = Table(seat)
    table.order()
    outcome = table.game.tag(table.other, f"{table.their}2", pad=seat)  # the active player's hand
    assert outcome.refusal is not None and outcome.refusal.rule == "ACT-09"
    assert why(outcome) == f"{table.other} declares AROs, on {table.other}'s own pad."
    assert lines(table.game.tag(table.other, f"{table.their}2")) == [f"{table.other} aro {table.their}2"]
    assert lines(table.game.press(table.other, "aro")) == [f"{table.other} aro"]
    assert table.game.tag(table.other, f"{table.their}2").refusal is not None  # one ARO each (ACT-07)


@both
def test_with_one_pad_a_tag_reacts_while_nothing_waits_there(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    theirs = game.disc(table.other, TAG, trooper=f"{table.their}2")
    table.order()
    assert lines(game.lay(A, theirs, shared=True)) == [f"{table.other} aro {table.their}2"]
    game.lay(A, game.disc(seat, TokenKind.STATE), shared=True)
    assert game.table.waits(seat) is not None  # the State disc's owner waits
    other = game.disc(table.other, TAG, trooper=f"{table.their}3")
    state = f"{table.other}:{table.their}3"
    assert lines(game.lay(A, other, shared=True)) == [f"{seat} state {state} unconscious"]
    assert lines(game.lay(A, game.disc(seat, REGULAR, group=1), shared=True))[-1] == f"{seat} skill basic"


@both
@pytest.mark.parametrize("where", ["second", "resolution"])
def test_without_a_window_nobody_reacts(seat: Seat, where: str) -> None:
    table = Table(seat)
    assert table.game.press(table.other, "aro").refusal is not None
    table.at(where)
    for outcome in (table.game.press(table.other, "aro"), table.game.tag(table.other, f"{table.their}2")):
        assert outcome.refusal is not None and outcome.refusal.rule == "ACT-05"


@both
def test_aro_of_the_active_side_asks_whether_anybody_reacts(seat: Seat) -> None:
    table = Table(seat)
    assert table.game.press(seat, "aro").refusal is not None
    table.order()
    outcome = table.game.press(seat, "aro")
    assert (outcome.signal, table.game.table.asked) == ("window", True)
    table.game.press(table.other, "pass")
    assert not table.game.table.asked


# --- taking back -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("ACT-20")
@both
def test_pass_held_takes_back_ones_own_last_touch(seat: Seat) -> None:
    table = Table(seat)
    before = table.game.game
    table.order()
    outcome = table.game.hold(seat, "pass")
    assert outcome.signal == "undo" and table.game.game == before
    assert lines(outcome) == [f"{seat} undo", f"{seat} undo"]


@pytest.mark.rule("ACT-20")
@both
def test_the_other_sides_touch_is_taken_back_with_its_ok_only(seat: Seat) -> None:
    table = Table(seat)
    before = table.game.game
    table.order()
    spent = table.game.game
    outcome = table.game.hold(table.other, "pass")
    assert (outcome.signal, table.game.game) == ("ask", spent)
    assert asks_of(table.game.table) == {"A": "consent", "B": "consent"}
    assert told(outcome) == f"{table.other} asks to take back {seat}'s last touch"
    outcome = table.game.press(seat, "ok")
    assert (outcome.signal, table.game.game) == ("undo", before)
    assert set(lines(outcome)) == {"undo"}  # both sides' consent
    assert asks_of(table.game.table) == {}


@both
@pytest.mark.parametrize("key", ["pass", "short", "aro", "disc"])
def test_any_other_touch_of_the_asked_side_declines(seat: Seat, key: str) -> None:
    table = Table(seat)
    table.order()
    table.game.hold(table.other, "pass")
    outcome = table.order() if key == "disc" else table.game.press(seat, key)
    assert outcome.accepted and table.game.table.consent is None
    played = table.game.game
    assert told(table.game.press(seat, "ok")) == "OK: the order is over"
    assert table.game.game.position > played.position


@both
def test_consent_is_asked_for_ten_seconds(seat: Seat) -> None:
    table = Table(seat)
    table.game.now_ms = 1_000_000
    table.order()
    table.game.now_ms += 5000
    table.game.hold(table.other, "pass")
    table.game.now_ms += PATIENCE_MS
    assert told(table.game.press(seat, "ok")) == "OK: the order is over"


@both
def test_a_turn_that_the_other_side_began_is_not_taken_back_in_secret(seat: Seat) -> None:
    game = players(first=seat)
    game.to_orders(seat)
    assert game.hold(seat.other, "pass").signal == "ask"
    assert game.game.state.active is seat


# --- states ----------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("side", ["active", "reactive"])
@pytest.mark.parametrize("where", ["nothing", *WHERE])
def test_state_disc_and_tag_record_a_state_in_every_phase(seat: Seat, side: str, where: str) -> None:
    table = Table(seat)
    if where != "nothing":
        table.at(where)
    who = table.me if side == "active" else table.other
    enemy = f"{str(who.other).lower()}3"
    said: list[str] = []
    for _ in range(3):
        assert table.game.tap(who, TokenKind.STATE).accepted
        assert asks_of(table.game.table) == {str(who): "touch"}
        said += lines(table.game.tag(who.other, enemy, pad=who))
    who_else = f"{who.other}:{enemy}"
    assert said == [f"{who} state {who_else} unconscious", f"{who} state {who_else} dead",
                    f"{who} clear {who_else} dead"]  # fmt: skip
    assert asks_of(table.game.table) == {}


@both
def test_after_a_state_disc_a_regular_disc_is_asked_once_more(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    disc = game.disc(seat, REGULAR, group=1, number=3)
    game.tap(seat, TokenKind.STATE)
    assert lines(game.lay(seat, disc)) == [] and asks_of(game.table) == {str(seat): "again"}
    another = game.disc(seat, REGULAR, group=1, number=4)
    assert lines(game.lay(seat, another)) == []  # another disc: asked of that one
    assert lines(game.lay(seat, another)) == [f"{seat} state {table.my}4 unconscious"]
    assert pool(game, seat, 1) == 6


@both
def test_a_state_disc_is_taken_back_by_itself_a_key_or_time(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.now_ms = 1_000_000
    game.tap(seat, TokenKind.STATE)
    game.tap(seat, TokenKind.STATE)
    assert game.table.pending == ()
    game.tap(seat, TokenKind.STATE)
    assert told(game.press(seat, "pass")) == "waits no more" and game.table.pending == ()
    game.tap(seat, TokenKind.STATE)
    assert told(game.hold(seat, "pass")) == "waits no more" and game.table.touches  # nothing else is taken back
    game.tap(seat, TokenKind.STATE)
    game.now_ms += PATIENCE_MS
    assert lines(table.order())[0] == f"{seat} spend regular g1"


@both
def test_what_waits_on_one_side_is_untouched_by_the_other(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    table.order()
    game.tap(seat, TokenKind.STATE)
    assert lines(game.press(table.other, "pass")) == [f"{table.other} pass"]
    game.tap(table.other, TokenKind.STATE)
    assert asks_of(game.table) == {"A": "touch", "B": "touch"}
    said = lines(game.tag(table.other, f"{table.their}2", pad=seat))
    assert said == [f"{seat} state {table.other}:{table.their}2 unconscious"]
    assert asks_of(game.table) == {str(table.other): "touch"}


# --- Command Tokens --------------------------------------------------------------------------------------------------


@pytest.mark.rule("CMD-04")
@both
def test_command_disc_and_irregular_tag_or_disc_convert(seat: Seat) -> None:
    for kind in (TAG, TokenKind.IRREGULAR):
        table = Table(seat, Pace.EXPRESS, IRREGULAR)
        table.game.tap(seat, TokenKind.COMMAND)
        outcome = table.game.tap(seat, kind, trooper="wild")
        assert lines(outcome) == [f"{seat} token convert wild"]
        assert pool(table.game, seat, 1) == 7 and table.game.table.pending == ()


@pytest.mark.rule("CMD-04")
@both
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("where", ["nothing", "window", "resolution"])
def test_command_disc_tags_and_a_regular_disc_are_a_coordinated_order(seat: Seat, count: int, where: str) -> None:
    table = Table(seat)
    if where != "nothing":
        table.at(where)
    before = len(table.game.outcomes)
    game = table.game
    left = pool(game, seat, 1)
    game.tap(seat, TokenKind.COMMAND)
    names = [f"{table.my}{number}" for number in range(2, 2 + count)]
    for name in names:
        assert game.tag(seat, name).accepted and game.table.waits(seat) is not None
    outcome = game.tap(seat, REGULAR, group=1)
    assert lines(outcome)[-2:] == [f"{seat} token coordinate g1 {' '.join(names)}", f"{seat} skill basic"]
    assert told(outcome) == "Coordinated Order, group 1"
    assert game.game.side(seat).command_tokens == 3 and pool(game, seat, 1) == left - 1
    assert len(game.outcomes) - before == count + 2  # four troopers: six touches
    assert lines(game.tag(table.other, f"{table.their}2")) == [f"{table.other} aro {table.their}2 > {names[0]}"]


@pytest.mark.rule("CMD-04")
@both
def test_a_command_disc_says_what_it_wants_and_takes_tags_back(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.tap(seat, TokenKind.COMMAND)
    assert "two to four" in why(game.tap(seat, REGULAR, group=1))
    assert game.table.pending == ()
    game.tap(seat, TokenKind.COMMAND)
    for number in (2, 3, 4, 5):
        game.tag(seat, f"{table.my}{number}")
    assert "four troopers at most" in why(game.tag(seat, f"{table.my}6"))
    game.tag(seat, f"{table.my}5")  # once more: not this one
    pending = game.table.waits(seat)
    assert pending is not None and pending.troopers == tuple(f"{table.my}{n}" for n in (2, 3, 4))
    assert game.tag(table.other, f"{table.their}2", pad=seat).refusal is not None
    game.tap(seat, TokenKind.COMMAND)
    assert game.table.pending == () and game.game.side(seat).command_tokens == 4


@pytest.mark.rule("CMD-04")
@both
def test_command_disc_and_ok_spend_a_token_by_voice(seat: Seat) -> None:
    table = Table(seat)
    table.game.tap(seat, TokenKind.COMMAND)
    outcome = table.game.press(seat, "ok")
    assert lines(outcome) == [f"{seat} token other"] and "by voice" in told(outcome)
    assert table.game.game.side(seat).command_tokens == 3
    table.order()
    table.game.tap(seat, TokenKind.COMMAND)
    table.game.press(seat, "ok")
    assert table.game.game.side(seat).command_tokens == 2 and step(table.game) == "2.2"  # the order goes on


# --- who acts, Loss of Lieutenant, Retreat ---------------------------------------------------------------------------


def leaderless(seat: Seat, pace: Pace = Pace.EXPRESS) -> Table:
    """Loss of Lieutenant: the Lieutenant fell before the turn."""
    table = Table.__new__(Table)
    table.me, table.other = seat, seat.other
    table.my, table.their = str(seat).lower(), str(seat.other).lower()
    table.game = players(first=seat, pace=pace)
    table.game.tap(seat, TokenKind.STATE)
    table.game.tag(seat, f"{table.my}1")
    table.game.to_orders(seat)
    assert table.game.game.side(seat).loss_of_lieutenant
    return table


@pytest.mark.rule("LOL-02")
@both
@pytest.mark.parametrize("pace", list(Pace))
def test_in_loss_of_lieutenant_tag_and_any_regular_disc_spend_the_troopers_own_order(seat: Seat, pace: Pace) -> None:
    table = leaderless(seat, pace)
    game, my = table.game, table.my
    game.tag(seat, f"{my}4")
    disc = game.disc(seat, REGULAR, group=1, number=2)
    assert lines(game.lay(seat, disc))[0] == f"{seat} spend irregular {my}4"
    if pace is Pace.FULL:
        return
    game.tag(seat, f"{my}4")
    assert why(game.lay(seat, disc)) == f"{my}4 has no order left. Of group 1 the discs 2, 3, 5, 6 are left."
    assert lines(game.lay(seat, disc))[-2] == f"{seat} spend irregular {my}2"  # the tag waits no more


@pytest.mark.rule("LOL-02")
@both
def test_in_loss_of_lieutenant_a_disc_alone_is_that_of_its_number_or_says_which_are_left(seat: Seat) -> None:
    table = leaderless(seat)
    game, my = table.game, table.my
    assert lines(game.tap(seat, REGULAR, group=1, number=3))[0] == f"{seat} spend irregular {my}3"
    refused = game.lay(seat, game.disc(seat, REGULAR, group=1, number=3))
    assert why(refused) == f"Disc 3 is {my}3, who has no order left. Of group 1 the discs 2, 4, 5, 6 are left."
    refused = game.lay(seat, game.disc(seat, REGULAR, group=1, number=1))
    assert why(refused) == f"Disc 1 is {my}1, who has no order left. Of group 1 the discs 2, 4, 5, 6 are left."
    assert "first the trooper" in why(game.button(seat, "regular g1"))  # a page's button has no number
    assert lines(game.button(seat, f"irregular {my}4"))[-2] == f"{seat} spend irregular {my}4"


@pytest.mark.rule("LOL-03")
@both
@pytest.mark.parametrize("second", ["ok", "disc"])
@pytest.mark.parametrize("pace", list(Pace))
def test_the_new_lieutenant_is_named_by_its_tag_then_disc_or_ok(seat: Seat, second: str, pace: Pace) -> None:
    table = leaderless(seat, pace)
    game = table.game
    while game.game.state.phase != "states":
        game.hold(seat, "ok")
    refused = game.hold(seat, "ok").refusal
    assert refused is not None and refused.rule == "LOL-03"
    assert "First the tag" in why(game.tap(seat, TokenKind.LIEUTENANT))
    assert game.tag(seat, f"{table.my}1").refusal is not None  # the fallen one
    assert game.tag(seat, f"{table.my}4").accepted and asks_of(game.table) == {str(seat): "touch"}
    outcome = game.press(seat, "ok") if second == "ok" else game.tap(seat, TokenKind.LIEUTENANT)
    assert lines(outcome) == [f"{seat} lieutenant {table.my}4"]
    assert table.my + "4" not in told(outcome)  # whose it was stays secret
    assert game.hold(seat, "ok").accepted and game.game.next_seat is table.other


@both
def test_in_the_states_phase_a_tag_means_no_order(seat: Seat) -> None:
    game = players(first=seat, pace=Pace.FULL)
    game.to_orders(seat)
    game.hold(seat, "ok")
    game.hold(seat, "ok")
    assert game.game.state.phase == "states"
    assert "no order is spent" in why(game.tag(seat, f"{str(seat).lower()}2"))


@pytest.mark.rule("RET-09")
@both
def test_in_retreat_tag_and_regular_disc_spend_the_troopers_own_order(seat: Seat) -> None:
    game = players(first=seat)
    my = str(seat).lower()
    for number in range(1, 7):
        game.tap(seat, TokenKind.STATE)
        game.tag(seat, f"{my}{number}")
    game.to_orders(seat)
    assert game.game.side(seat).retreat
    game.tag(seat, f"{my}8")
    assert lines(game.tap(seat, REGULAR, group=2, number=1))[0] == f"{seat} spend irregular {my}8"
    assert lines(game.tap(seat, REGULAR, group=2, number=1))[-2] == f"{seat} spend irregular {my}7"


@pytest.mark.rule("RET-09")
@both
def test_at_the_check_of_retreat_a_disc_goes_on_to_the_orders_and_spends_the_troopers_own(seat: Seat) -> None:
    game = players(first=seat)
    my = str(seat).lower()
    for number in range(1, 7):
        game.tap(seat, TokenKind.STATE)
        game.tag(seat, f"{my}{number}")
    game.hold(seat, "ok")
    assert game.game.side(seat).retreat
    assert lines(game.tap(seat, REGULAR, group=2, number=1))[-2] == f"{seat} spend irregular {my}7"


@pytest.mark.rule("FT-02")
@both
def test_a_members_tag_and_a_regular_disc_are_the_fireteams_order(seat: Seat) -> None:
    from ordertray.rules import parse_action
    from ordertray.table import act

    my = str(seat).lower()
    game = players(first=seat)
    game.table = act(game.table, parse_action(f"{seat} team form {my}2 {my}3 {my}4")).table
    game.to_orders(seat)
    game.tag(seat, f"{my}3")
    assert game.tap(seat, REGULAR, group=1).accepted
    order = public_view(game.game)["order"]
    assert order["trooper"] == f"{my}3" and set(order["troopers"]) == {f"{my}2", f"{my}3", f"{my}4"}


@both
def test_a_tag_says_who_acts_now_or_next(seat: Seat) -> None:
    table = Table(seat)
    table.order()
    assert lines(table.game.tag(seat, f"{table.my}2")) == [f"{seat} trooper {table.my}2"]
    assert table.game.tag(seat, f"{table.my}3").accepted  # kept for the next order
    assert lines(table.order())[-2] == f"{seat} spend regular g1 {table.my}3"


@pytest.mark.rule("ORD-19")
@both
def test_a_hidden_troopers_tag_and_ok_spend_its_own_order(seat: Seat) -> None:
    veiled = Trooper("veiled", cost=10, group=1, deploy="hidden")
    table = Table(seat, Pace.EXPRESS, veiled)
    table.game.tag(seat, "veiled")
    outcome = table.game.press(seat, "ok")
    assert lines(outcome)[0] == f"{seat} spend own veiled" and pool(table.game, seat, 1) == 6


# --- a disc spent before ---------------------------------------------------------------------------------------------


@both
def test_a_disc_spent_this_turn_is_refused_once_while_others_lie_there(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.now_ms = 1_000_000
    disc = game.disc(seat, REGULAR, group=1, number=2)
    assert game.lay(seat, disc).accepted
    assert "spent" in why(game.lay(seat, disc)) and asks_of(game.table) == {str(seat): "spent regular 1"}
    assert game.lay(seat, disc).accepted and pool(game, seat, 1) == 4  # a second tap means it
    assert game.lay(seat, disc).refusal is not None  # and so every time
    game.now_ms += PATIENCE_MS
    assert game.lay(seat, disc).refusal is not None  # ten seconds later it is asked anew
    assert pool(game, seat, 1) == 4


@both
def test_a_spent_disc_is_unspent_by_undo_and_by_the_next_turn(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    disc = game.disc(seat, REGULAR, group=1, number=2)
    game.lay(seat, disc)
    game.hold(seat, "pass")
    assert game.lay(seat, disc).accepted
    game.end_turn(seat)
    game.to_orders(table.other)
    game.end_turn(table.other)
    game.to_orders(seat)
    assert game.lay(seat, disc).accepted


@both
def test_with_one_disc_for_a_pool_nothing_is_asked(seat: Seat) -> None:
    from ordertray.tokens.registry import TokenRegistry

    table = Table(seat)
    game = table.game
    disc = game.disc(seat, REGULAR, group=1, number=2)
    game.table = game.table.__class__(game.game, TokenRegistry([disc]), game.table.pace)
    for left in range(5, -1, -1):
        assert game.lay(seat, disc).accepted and pool(game, seat, 1) == left


# --- full pace: the same words, and its strictness -------------------------------------------------------------------


@both
def test_full_keeps_its_strictness(seat: Seat) -> None:
    table = Table(seat, Pace.FULL)
    game = table.game
    table.order()
    assert step(game) == "1.2"
    assert told(game.press(seat, "basic")) == "BASIC: first skill"
    for outcome in (game.press(seat, "short"), game.press(seat, "pass"), game.press(seat, "ok"), table.order(),
                    game.press(seat, "long"), game.hold(seat, "short")):  # fmt: skip
        assert outcome.refusal is not None and step(game) == "2.2"
    assert told(game.press(table.other, "ok")) == "OK: done reacting"
    assert told(game.press(seat, "short")) == "SHORT: second skill"
    assert told(game.press(seat, "ok")) == "OK: the order is over"


# --- bad input -------------------------------------------------------------------------------------------------------


@both
def test_two_hands_at_once_a_reaction_under_way_is_not_meant_for_the_next_window(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.now_ms = 1_000_000
    table.order()
    game.now_ms += 5000
    table.order()  # the active player goes on ...
    before = game.game
    for late_ms in (20, 30):  # ... and within 50 ms the other hand comes down
        game.now_ms += late_ms
        for outcome in (game.press(table.other, "pass"), game.tag(table.other, f"{table.their}2"),
                        game.press(table.other, "aro"), game.press(table.other, "ok")):  # fmt: skip
            assert outcome.refusal is not None and "Both hands" in why(outcome)
    assert game.game is before
    game.now_ms += TOGETHER_MS
    assert game.tag(table.other, f"{table.their}2").accepted


@both
def test_two_hands_at_once_the_other_way_round_both_count(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.now_ms = 1_000_000
    table.order()
    game.now_ms += 5000
    assert game.tag(table.other, f"{table.their}2").accepted
    game.now_ms += 20
    assert game.press(seat, "short").accepted
    assert len(public_view(game.game)["order"]["aro"]["declared"]) == 1 and skills(game) == ["basic", "short"]


@both
def test_two_hands_at_once_both_holding_pass_take_back_one_touch(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    game.now_ms = 1_000_000
    game.tap(seat, TokenKind.LIEUTENANT)
    before = game.game
    game.now_ms += 5000
    table.order()
    game.now_ms += 5000
    assert game.hold(seat, "pass").accepted and game.game == before
    game.now_ms += 30
    assert "has just taken it back" in why(game.hold(table.other, "pass"))
    assert game.game == before and game.table.consent is None


@both
def test_the_other_players_disc_spends_nothing_and_ones_own_counts_on_any_pad(seat: Seat) -> None:
    table = Table(seat)
    game = table.game
    for pad in (A, B):
        refused = game.tap(table.other, REGULAR, pad=pad, group=1).refusal
        assert refused is not None and refused.rule == "SEQ-01"
    assert lines(game.tap(seat, REGULAR, pad=table.other, group=1))[0] == f"{seat} spend regular g1"
    assert "own pad" in why(game.tag(seat, f"{table.my}2", pad=table.other))
    assert "own pad" in why(game.tap(table.other, TokenKind.COMMAND, pad=seat))


@pytest.mark.parametrize("button", ["basic", "short", "long", "aro", "pass", "ok"])
def test_a_key_held_for_ten_seconds_is_one_touch(button: str) -> None:
    """What the firmware says of it: down, one hold, up after a hold. Only one of these is a touch."""
    from ordertray.table import Seating, touch_of

    edges: list[dict[str, object]] = [{"edge": "down"}, {"edge": "hold"}, {"edge": "up", "held": True}]
    read = [touch_of(Seating(), "E661", {"e": "button", "side": "A", "button": button, **edge}) for edge in edges]
    assert sum(one is not None for one in read) == 1


def test_whatever_waits_outlives_a_restart_with_its_time() -> None:
    from ordertray.table.kept import waiting_to_json, with_waiting

    game = players()
    game.now_ms = 1_000_000
    game.to_orders()
    game.tap(A, REGULAR, group=1)
    game.press(A, "aro")
    game.tap(A, TokenKind.COMMAND)
    game.tag(A, "a2")
    game.tag(A, "a3")
    game.tap(B, TokenKind.STATE)
    game.tap(B, REGULAR, group=1, number=2)
    kept = waiting_to_json(game.table)
    bare = game.table.__class__(game.game, game.table.tokens, game.table.pace)
    back = with_waiting(bare, kept)
    assert (back.pending, back.asked) == (game.table.pending, True)
    assert back.at(1_000_000 + PATIENCE_MS - 1).pending == back.pending
    assert back.at(1_000_000 + PATIENCE_MS).pending == ()
    assert back.at(1).pending == ()  # the clock was set back: better asked again than acted on
    asking = players()
    asking.to_orders()
    asking.tap(A, REGULAR, group=1)
    asking.hold(B, "pass")
    assert with_waiting(bare, waiting_to_json(asking.table)).consent == asking.table.consent

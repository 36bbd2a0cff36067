"""Tunes by the clock."""

from ordertray_firmware.buzzer import TUNES, Buzzer

ON_BOTH_INTERPRETERS = True


class Output:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.said: "list[int]" = []

    def tone(self, hz: int) -> None:
        self.said.append(hz)

    def silence(self) -> None:
        self.said.append(0)


def play(buzzer: Buzzer, start_ms: int, span_ms: int) -> None:
    for now_ms in range(start_ms, start_ms + span_ms, 5):
        buzzer.update(now_ms)


def test_a_tune_plays_through_and_ends_in_silence() -> None:
    for name in TUNES:
        output = Output()
        buzzer = Buzzer(output)
        assert buzzer.play(name, 1000)
        play(buzzer, 1000, 1000)
        assert output.said == [hz for hz, _length in TUNES[name]] + [0]


def test_refused_is_low_and_ok_is_high() -> None:
    assert max(hz for hz, _length in TUNES["refused"]) < 300
    assert min(hz for hz, _length in TUNES["ok"]) > 1000


def test_a_new_tune_replaces_the_old_one() -> None:
    output = Output()
    buzzer = Buzzer(output)
    buzzer.play("refused", 0)
    buzzer.update(50)
    buzzer.play("ok", 60)
    play(buzzer, 60, 500)
    assert output.said == [220, 2000, 0]


def test_switched_off_or_missing_it_is_silent() -> None:
    output = Output()
    buzzer = Buzzer(output, on=False)
    assert buzzer.play("ok", 0)
    play(buzzer, 0, 300)
    assert output.said == []
    nothing = Buzzer(None)
    assert nothing.play("ok", 0)
    play(nothing, 0, 300)


def test_an_unknown_tune_is_told_so() -> None:
    output = Output()
    assert not Buzzer(output).play("fanfare", 0)
    assert output.said == []

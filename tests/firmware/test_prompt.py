"""MicroPython's prompt ends by itself when nobody types."""

from firmware.plain import FakeClock
from ordertray_firmware.prompt import LIMIT_MS, TOOL_MS, Prompt

ON_BOTH_INTERPRETERS = True


def seconds_until_restart(words: "list[tuple[int, bytes]]", limit_s: int = 200) -> int:
    """Whole seconds after which the board restarts, when the prompt writes these bytes at these seconds."""
    clock = FakeClock((1 << 30) - 3000)
    causes: "list[str]" = []
    prompt = Prompt(clock, causes.append)
    for second in range(1, limit_s):
        for at, data in words:
            if at == second:
                assert prompt.write(data) == len(data)
        clock.ms += 1000
        prompt.look()
        if causes:
            assert causes == ["interrupt"]
            return second
    return -1


def test_it_restarts_when_the_prompt_writes_nothing() -> None:
    assert seconds_until_restart([]) == LIMIT_MS // 1000


def test_typing_puts_it_off() -> None:
    assert seconds_until_restart([(6, b"p"), (14, b"r"), (20, b"\r\n>>> ")]) == 19 + LIMIT_MS // 1000


def test_a_tool_at_the_raw_prompt_has_more_time() -> None:
    assert seconds_until_restart([(2, b"\r\nraw REPL; CTRL-B to exit\r\n>")]) == 1 + TOOL_MS // 1000


def test_it_types_nothing_itself() -> None:
    prompt = Prompt(FakeClock())
    assert prompt.readinto(bytearray(8)) is None  # type: ignore[func-returns-value]
    assert prompt.ioctl(3, 1) == 0

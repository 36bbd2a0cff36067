"""The NDEF message of a type 2 tag (NFC Forum Type 2 Tag specification): read it, write it, read it back.

Operations on a driver whose look() has just seen the tag; antenna stays on. They raise TagFault with the reason:
"not-type-2", "locked", "too-long", "no-message", "verify", or an outcome (UNREADABLE, CHECKSUM).
"""

from ordertray_firmware import const
from ordertray_firmware.readers import TagFault

_FIRST_PAGE = const(4)
_NDEF = const(0x03)
_TERMINATOR = const(0xFE)
_NULL = const(0x00)

# Dynamic lock bytes by the size byte of the capability container: their page, pages per lock bit (NTAG21x).
_DYNAMIC_LOCKS = {0x12: (0x28, 2), 0x3E: (0x82, 16), 0x6D: (0xE2, 16)}


class _Area:
    """The data area of a tag (from page 4 on), read as far as it is asked for."""

    def __init__(self, driver: "Driver") -> None:
        self.driver = driver
        self.size = 0
        self.size_byte = 0
        self.writable = False
        self._data = bytearray()

    def open(self) -> "Steps[None]":
        """Capability container and the first twelve bytes."""
        head = yield from self.driver.read(3)
        if head[0] != 0xE1 or head[1] >> 4 != 1:
            raise TagFault("not-type-2")
        self.size_byte = head[2]
        self.size = head[2] * 8
        self.writable = head[3] & 0x0F == 0x00
        self._data = bytearray(head[4:])

    def upto(self, end: int) -> "Steps[bytearray]":
        """The first `end` bytes; TagFault("no-message") when that is beyond the area."""
        if end > self.size:
            raise TagFault("no-message")
        while len(self._data) < end:
            self._data += yield from self.driver.read(_FIRST_PAGE + len(self._data) // 4)
        return self._data

    def find_message(self) -> "Steps[tuple[int, int, int]]":
        """(offset of the NDEF block's type byte, offset of its value, length); length -1: no block, offset is free."""
        at = 0
        while at < self.size:
            data = yield from self.upto(at + 1)
            kind = data[at]
            if kind == _NULL:
                at += 1
                continue
            if kind == _TERMINATOR:
                return at, at, -1
            data = yield from self.upto(at + 2)
            length = data[at + 1]
            value = at + 2
            if length == 0xFF:
                data = yield from self.upto(at + 4)
                length = (data[at + 2] << 8) | data[at + 3]
                value = at + 4
            if kind == _NDEF:
                return at, value, length
            at = value + length
        return 0, 0, -1


def read_message(driver: "Driver") -> "Steps[bytes]":
    """The message as bytes (empty for an empty one); TagFault("no-message") when the tag has no NDEF block."""
    yield from driver.activate()
    area = _Area(driver)
    yield from area.open()
    _at, value, length = yield from area.find_message()
    if length < 0:
        raise TagFault("no-message")
    data = yield from area.upto(value + length)
    return bytes(data[value : value + length])


def write_message(driver: "Driver", message: bytes) -> "Steps[None]":
    """Write the message, shortest danger first: length 0, then the data, then the length; then read it back."""
    yield from driver.activate()
    area = _Area(driver)
    yield from area.open()
    if not area.writable:
        raise TagFault("locked")
    at, _value, _length = yield from area.find_message()
    size = len(message)
    head = bytes((_NDEF, size)) if size < 0xFF else bytes((_NDEF, 0xFF, size >> 8, size & 0xFF))
    block = head + bytes(message)
    if at + len(block) > area.size:
        raise TagFault("too-long")
    end = at + len(block)
    if end < area.size:
        block += bytes((_TERMINATOR,))
    before = yield from area.upto(at)
    start = at - at % 4
    content = bytearray(before[start:at]) + block
    content += bytes(-len(content) % 4)
    first = start // 4 + _FIRST_PAGE
    count = len(content) // 4
    yield from _refuse_locked(driver, area, first, first + count - 1)
    # The page with the length byte: 0 goes in first, the true length last.
    length_at = at + 1 - start
    length_page = length_at // 4
    true_length = content[length_at]
    content[length_at] = 0
    for index in range(length_page + 1):
        yield from driver.write(first + index, content[index * 4 : index * 4 + 4])
    for index in range(length_page + 1, count):
        yield from driver.write(first + index, content[index * 4 : index * 4 + 4])
    content[length_at] = true_length
    yield from driver.write(first + length_page, content[length_page * 4 : length_page * 4 + 4])
    back = bytearray()
    while len(back) < len(content):
        back += yield from driver.read(first + len(back) // 4)
    if back[: len(content)] != content:
        raise TagFault("verify")


def _refuse_locked(driver: "Driver", area: _Area, first: int, last: int) -> "Steps[None]":
    """TagFault("locked") when a lock bit covers one of the pages."""
    head = yield from driver.read(2)
    static = head[2] | (head[3] << 8)
    for page in range(first, min(last, 15) + 1):
        if static & (1 << page):
            raise TagFault("locked")
    where = _DYNAMIC_LOCKS.get(area.size_byte)
    if where is None or last < 16:
        return
    data = yield from driver.read(where[0])
    bits = data[0] | (data[1] << 8)
    for page in range(max(first, 16), last + 1):
        if bits & (1 << ((page - 16) // where[1])):
            raise TagFault("locked")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Driver, Steps

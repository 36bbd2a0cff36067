"""Small facts about tags: kind, UID, check bytes.

Kinds: by SAK (ISO/IEC 14443-3, NXP AN10833), by capability container and by GET_VERSION (NTAG21x data sheet).
"""

_BY_SAK = {
    0x08: "mifare-classic-1k",
    0x09: "mifare-mini",
    0x18: "mifare-classic-4k",
    0x20: "iso14443-4",
    0x28: "mifare-classic-1k",
    0x38: "mifare-classic-4k",
}

# Size byte of the capability container (page 3), in units of 8 bytes.
_BY_SIZE = {0x12: "ntag213", 0x3E: "ntag215", 0x6D: "ntag216"}

# Storage size byte of GET_VERSION.
_BY_STORAGE = {0x0F: "ntag213", 0x11: "ntag215", 0x13: "ntag216"}

TYPE_2 = "type2"


def is_type_2(sak: int) -> bool:
    """Whether the tag has pages to READ (NTAG, Ultralight)."""
    return sak == 0x00


def is_type_2_kind(kind: "str | None") -> bool:
    """Whether a word for a kind stands for a tag with pages to READ."""
    return kind == TYPE_2 or kind in _BY_SIZE.values()


def kind_by_sak(sak: int) -> str:
    """A word for the SAK; "type2" stands for a tag whose pages tell more, "unknown" for any other."""
    if is_type_2(sak):
        return TYPE_2
    return _BY_SAK.get(sak, "unknown")


def kind_by_pages(page_3: bytes) -> "str | None":
    """From a READ of page 3 (its first four bytes are the capability container); None when they do not tell."""
    if len(page_3) < 4 or page_3[0] != 0xE1:
        return None
    return _BY_SIZE.get(page_3[2], TYPE_2)


def kind_by_version(version: bytes) -> str:
    """From the eight bytes of GET_VERSION."""
    if len(version) != 8 or version[2] != 0x04:
        return TYPE_2
    return _BY_STORAGE.get(version[6], TYPE_2)


def is_phone(uid: bytes) -> bool:
    """Random UIDs are 4 bytes long and start with 08 (ISO/IEC 14443-3): phones and passports use them."""
    return len(uid) == 4 and uid[0] == 0x08


def uid_text(uid: bytes) -> str:
    """Upper-case hex without separators."""
    return bytes(uid).hex().upper()


def crc_a(data: bytes) -> "tuple[int, int]":
    """CRC_A of ISO/IEC 14443-3 as (low, high)."""
    crc = 0x6363
    for byte in data:
        byte ^= crc & 0xFF
        byte = (byte ^ (byte << 4)) & 0xFF
        crc = (crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4)
        crc &= 0xFFFF
    return (crc & 0xFF, crc >> 8)

"""What surface-mounted small parts, placed by the board house, would cost against soldering by hand. Pure.

Only parts that have such a sister are counted: headers, jack, switch, terminals, sockets, sounder and electrolytics are
soldered by hand either way. All prices are the author's estimates, without tax on import and shipping.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ordertray_hardware.boards import BOARDS
from ordertray_hardware.catalogue import CATALOGUE

SETUP_EUR: Final = 8.0
"""A house's fee for setting up its machine, one side, a design."""
STENCIL_EUR: Final = 1.5
JOINT_EUR: Final = 0.0016
LOADING_EUR: Final = 3.0
"""For each kind of part that the house does not keep on its machine."""


@dataclass(frozen=True, slots=True)
class Sister:
    """The surface-mounted part that would stand for one of the catalogue: price, joints, whether the house loads it."""

    price_eur: float
    joints: int
    loaded: bool = False


SISTERS: Final[Mapping[str, Sister]] = MappingProxyType(
    {
        "capacitor-100n": Sister(0.01, 2),
        "capacitor-1u": Sister(0.02, 2),
        "diode-1n4148": Sister(0.02, 2),
        "zener-6v8": Sister(0.03, 2, loaded=True),
        "tvs": Sister(0.15, 2, loaded=True),
        "npn": Sister(0.02, 3),
        "pnp": Sister(0.02, 3),
        "tl431": Sister(0.06, 3),
        "p-mosfet": Sister(0.45, 8, loaded=True),
        "ptc-2a": Sister(0.20, 2, loaded=True),
        "ptc-0a7": Sister(0.12, 2, loaded=True),
        "74ahct125": Sister(0.25, 14, loaded=True),
        "resistor-network-6x10k": Sister(0.03, 12),
        "led-red-3mm": Sister(0.02, 2),
        "led-green-3mm": Sister(0.02, 2),
    }
)
_RESISTOR: Final = Sister(0.005, 2)


@dataclass(frozen=True, slots=True)
class Prices:
    """Both ways for a number of trays, in EUR."""

    trays: int
    by_hand_eur: float
    parts_eur: float
    house_eur: float

    @property
    def by_house_eur(self) -> float:
        """Parts and the house's work."""
        return self.parts_eur + self.house_eur


def sister(item: str) -> Sister | None:
    """What would stand for an item of the catalogue, None if it is soldered by hand either way."""
    return _RESISTOR if item.startswith("resistor-") and "network" not in item else SISTERS.get(item)


def prices(trays: int) -> Prices:
    """Reckon both ways; a house sets up once, and makes no fewer than two boards."""
    made = max(trays, 2)
    by_hand = parts = 0.0
    joints, loaded = 0, set()
    for part in BOARDS["tray"].parts:
        other = sister(part.item) if part.item else None
        if part.item is None or other is None:
            continue
        by_hand += CATALOGUE[part.item].price_eur
        parts += other.price_eur
        joints += other.joints
        if other.loaded:
            loaded.add(part.item)
    by_hand += CATALOGUE["socket-dip-14"].price_eur
    house = SETUP_EUR + STENCIL_EUR + LOADING_EUR * len(loaded) + JOINT_EUR * joints * made
    return Prices(trays, by_hand * trays, parts * made, house)


def table() -> str:
    """The comparison for one, two, five and ten trays, as Markdown."""
    rows = ["| trays | small parts, soldered by hand | surface-mounted: parts | and the house's work | difference |",
            "|---:|---:|---:|---:|---:|"]  # fmt: skip
    for one in (prices(trays) for trays in (1, 2, 5, 10)):
        rows.append(
            f"| {one.trays} | {one.by_hand_eur:.0f} | {one.parts_eur:.0f} | {one.house_eur:.0f} "
            f"| {one.by_house_eur - one.by_hand_eur:+.0f} |"
        )
    return "\n".join(rows) + "\n"

"""Turns parts of a `Board` into a SPICE netlist and runs Debian's ngspice on it.

The netlist is made from the same table as the board, so that what is simulated is what is built: values, nets and
pins come from the parts, only the models of semiconductors and whatever is plugged in from outside are added here.
"""

import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ordertray_hardware.circuit import Board, Part
from ordertray_hardware.electrical import ohms

MODELS: Final = """
* SUP53P06-20: 20 mOhm at 10 V, about 25 at 4.5 V; threshold 1 to 3 V (the data sheet's limits are corners below).
.model pmos vdmos(pchan vto={vto} kp=30 rs=5m rd=8m rg=3 cgdmax=1.5n cgdmin=0.2n a=1 cgs=3n cjo=1n is=1p rb=10m)
.model 2n3904 npn(is=6.7e-15 bf={beta} vaf=74 ikf=67m rb=10 rc=1 cje=4.5p cjc=3.6p tf=0.3n tr=240n)
.model 2n3906 pnp(is=1.4e-15 bf={beta} vaf=19 ikf=80m rb=10 rc=2.5 cje=8p cjc=9.7p tf=0.18n tr=34n)
.model 1n4148 d(is=2.5e-9 rs=0.6 n=1.75 cjo=4p tt=6n bv=100 ibv=0.1u)
.model zener d(is=1e-14 rs=5 n=1.1 cjo=100p bv=6.8 ibv=5m)
* The lowest breakdown of its class: the one that would warm up first.
.model p6ke24a d(is=1e-12 rs=0.4 n=1.1 cjo=600p bv=22.8 ibv=1m)
.model red d(is=1e-18 rs=3 n=1.8 cjo=30p)
.model green d(is=2e-20 rs=5 n=1.9 cjo=30p)
* TL431: 2.495 V, 5 A/V, saturates at 1.9 V, leaks up to 0.3 mA just below its threshold, answers in a microsecond.
.subckt tl431 ref a k
rd ref x 1k
cd x a 1n
b1 k a i=(3e-4*(0.5+0.5*tanh((v(x,a)-2.42)/0.05))+min(0.15,max(0,5*(v(x,a)-2.495))))*max(0,tanh((v(k,a)-1.9)/0.05))
.ends
"""

_PREFIXES: Final = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3}
FUSE_OHMS: Final = {"2 A": 0.05, "0.7 A": 0.3}
"""Lowest resistance of a new fuse: the least help in limiting a current."""


class SimulationError(Exception):
    """ngspice is missing, or did not finish; the message ends with what it printed."""


def node(net: str) -> str:
    """SPICE's name of a net."""
    return "0" if net == "GND" else "n_" + re.sub(r"\W", "p", net).lower()


def farads(value: str) -> float:
    """Capacity of a value as printed ("100n", "1000u"). Raises ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([pnum])", value)
    if match is None:
        raise ValueError(f"not a capacity: {value!r}")
    return float(match[1]) * _PREFIXES[match[2]]


def element(part: Part, jumper: str = "") -> list[str]:
    """SPICE lines of a part; `jumper` says where JP1's shunt sits ("USB", "DC" or nowhere). Raises ValueError."""
    ends = {pin: node(net) for pin, net in part.nets.items()}
    kind = part.symbol.split(":")[1]
    name = part.ref.lower()
    if kind == "R":
        return [f"r{name} {ends['1']} {ends['2']} {ohms(part.value):g}"]
    if kind in ("C", "C_Polarized"):
        # 20 mOhm in series with ceramics, 60 with electrolytics: their data sheets' order of size.
        series = 0.02 if kind == "C" else 0.06
        return [f"c{name} {ends['1']} {name}_x {farads(part.value):g}", f"rs{name} {name}_x {ends['2']} {series}"]
    if kind == "Polyfuse":
        return [f"r{name} {ends['1']} {ends['2']} {FUSE_OHMS[part.value]}"]
    if kind in ("D_Zener", "LED", "1N4148"):
        model = {"1N4148": "1n4148", "P6KE24A": "p6ke24a", "6V8": "zener"}.get(part.value)
        model = model or ("green" if part.item and "green" in part.item else "red")
        # The source of no volts measures the current from cathode to anode.
        return [f"d{name} {ends['2']} {name}_k {model}", f"v{name} {ends['1']} {name}_k 0"]
    if kind == "Q_PMOS_GDS":
        # The source of no volts measures what flows from source to drain.
        return [f"m{name} {ends['2']} {ends['1']} {name}_s pmos", f"v{name} {ends['3']} {name}_s 0"]
    if kind in ("2N3904", "2N3906"):
        return [f"q{name} {ends['3']} {ends['2']} {ends['1']} {kind.lower()}"]
    if kind == "TL431LP":
        return [f"x{name} {ends['1']} {ends['2']} {ends['3']} tl431"]
    if kind == "Jumper_3_Open":
        closed = {"USB": "1", "DC": "3"}.get(jumper)
        return [f"r{name} {ends[closed]} {ends['2']} 0.01"] if closed else []
    raise ValueError(f"no model for {part.ref} ({part.symbol})")


def elements(board: Board, refs: Iterable[str], jumper: str = "") -> list[str]:
    """SPICE lines of some parts of a board."""
    return [line for ref in refs for line in element(board.part(ref), jumper)]


@dataclass(frozen=True, slots=True)
class Waves:
    """What a simulation recorded: time in seconds, and each asked-for expression at those times."""

    time_s: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]

    def highest(self, name: str, after_s: float = 0.0, before_s: float = float("inf")) -> float:
        """Highest value within a time."""
        return max(v for t, v in zip(self.time_s, self.values[name], strict=True) if after_s <= t <= before_s)

    def lowest(self, name: str, after_s: float = 0.0, before_s: float = float("inf")) -> float:
        """Lowest value within a time."""
        return min(v for t, v in zip(self.time_s, self.values[name], strict=True) if after_s <= t <= before_s)

    def integral(self, name: str, after_s: float = 0.0, before_s: float = float("inf")) -> float:
        """Integral over time: charge of a current, energy of a power."""
        total, points = 0.0, list(zip(self.time_s, self.values[name], strict=True))
        for (t0, v0), (t1, v1) in itertools.pairwise(points):
            if after_s <= t0 and t1 <= before_s:
                total += (v0 + v1) / 2 * (t1 - t0)
        return total

    def mean(self, name: str, after_s: float, before_s: float) -> float:
        """Mean over a time."""
        return self.integral(name, after_s, before_s) / (before_s - after_s)

    def last(self, name: str) -> float:
        """The value at the end."""
        return self.values[name][-1]

    def when(self, name: str, level: float, *, rising: bool = True, after_s: float = 0.0) -> float:
        """When a value first crosses a level after a time. Raises ValueError if it never does."""
        for t, v in zip(self.time_s, self.values[name], strict=True):
            if t >= after_s and (v >= level if rising else v <= level):
                return t
        raise ValueError(f"{name} never {'reaches' if rising else 'falls to'} {level}")


def simulate(
    lines: Sequence[str],
    record: Mapping[str, str],
    until_s: float,
    *,
    step_s: float = 0.0,
    vto: float = -2.0,
    beta: float = 150.0,
) -> Waves:
    """Run a transient simulation from rest.

    `lines` are SPICE elements, `record` names the expressions to keep, `vto` is the MOSFETs' threshold and `beta` the
    small transistors' gain. Raises SimulationError.
    """
    step_s = step_s or until_s / 2000
    # Named one by one: in a list ngspice would read "a -b" as a difference and "a (b)" as a call.
    lets = [f"let record_{index} = {expression}" for index, expression in enumerate(record.values())]
    expressions = " ".join(f"record_{index}" for index in range(len(record)))
    models = MODELS.format(vto=vto, beta=beta)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "waves"
        deck = "\n".join(
            [
                "* made by ordertray_hardware.spice", models, *lines,
                ".options reltol=2e-3 abstol=1e-9 vntol=1e-5 method=gear itl4=200 cshunt=2e-12",
                ".control", "set wr_singlescale", "set wr_vecnames", f"tran {step_s:g} {until_s:g} uic",
                *lets, f"wrdata {out} {expressions}", "quit", ".endc", ".end", "",
            ]
        )  # fmt: skip
        source = Path(folder) / "deck.cir"
        source.write_text(deck, encoding="utf-8")
        try:
            done = subprocess.run(
                ["ngspice", "-b", str(source)], capture_output=True, text=True, check=False, timeout=120
            )
        except FileNotFoundError:
            raise SimulationError("ngspice is missing: run hardware/install-tools.sh") from None
        printed = done.stdout + done.stderr
        data = out.with_suffix(".data") if out.with_suffix(".data").exists() else out
        if not data.exists() or "aborted" in printed or "Timestep too small" in printed:
            raise SimulationError(printed[-2000:])
        rows = [[float(word) for word in line.split()] for line in data.read_text().splitlines()[1:]]
    if not rows or rows[-1][0] < until_s * 0.99:
        raise SimulationError(f"stopped at {rows[-1][0] if rows else 0:g} s: {printed[-1500:]}")
    columns = list(zip(*rows, strict=True))
    return Waves(columns[0], dict(zip(record, columns[1:], strict=True)))

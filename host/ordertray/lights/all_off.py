"""`python -m ordertray.lights.all_off CONFIG`: every lamp of a configuration file dark, its pins released.

Run by the systemd unit after the service has ended, since a killed program leaves its lamps as they were.
Status 0 also where there are no lamps or no pins: then none can be lit. Status 2 for a file that cannot be read.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from ordertray.lights.lamp_config import LampConfigError, parse_lamp_config
from ordertray.lights.opening import open_lamps


def main(arguments: Sequence[str]) -> int:
    """Switch off the lamps of the configuration file named in `arguments`; the exit status."""
    if len(arguments) != 1:
        print("usage: python -m ordertray.lights.all_off CONFIG", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("lamps")
        if table is None:
            return 0
        if not isinstance(table, dict):
            print(f"{path}: lamps: must be a table", file=sys.stderr)
            return 2
        config = parse_lamp_config(table)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        print(f"{path}: cannot be read: {error}", file=sys.stderr)
        return 2
    except LampConfigError as error:
        for problem in error.problems:
            print(f"{path}: {problem.text()}", file=sys.stderr)
        return 2
    open_lamps(config).close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Names and places of an installed service, once."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

USER: Final = "ordertray"
SERIAL_GROUPS: Final = ("dialout", "plugdev")
"""Who may open serial ports: Debian's group first, then the one other systems use."""
GPIO_GROUP: Final = "gpio"

STATE_DIRECTORY: Final = PurePosixPath("/var/lib/ordertray")
CONFIGURATION_DIRECTORY: Final = PurePosixPath("/etc/ordertray")
CONFIGURATION: Final = CONFIGURATION_DIRECTORY / "ordertray.toml"
SYSUSERS: Final = PurePosixPath("/etc/sysusers.d/ordertray.conf")
# Before 77-mm-*.rules, where ModemManager makes up its mind, and before 73-seat-late.rules, which reads "uaccess".
UDEV_RULES: Final = PurePosixPath("/etc/udev/rules.d/70-ordertray.rules")
UNIT_NAME: Final = "ordertray.service"
UNIT: Final = PurePosixPath("/etc/systemd/system") / UNIT_NAME

DEVICE_LINK: Final = "ordertray"
"""`/dev/ordertray` is a tray, `/dev/ordertray-<board id>` that one."""

INSTALLER: Final = Path(__file__).with_name("install.sh")
"""The script that installs and updates; it wants a wheel or a clone."""
WHEEL: Final = "ordertray-VERSION-py3-none-any.whl"
"""How messages name the file of a release."""

WATCHDOG_S: Final = 30
STATUS_BAD_CONFIGURATION: Final = 2
"""The service ends with it when its configuration is faulty: starting again would not help."""

"""The files of an installed service, as text. Pure.

Sources: systemd.service(5), systemd.exec(5), systemd.resource-control(5), sysusers.d(5), udev(7); ModemManager's
`ID_MM_DEVICE_IGNORE` (on the USB device) and `ID_MM_PORT_IGNORE` (on the port).
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ordertray.install import layout
from ordertray.link.finder import PICO
from ordertray.service.setting_keys import commented_file


def sysusers_file(groups: tuple[str, ...]) -> str:
    """The service user without a login, a member of `groups`."""
    members = "".join(f"m {layout.USER} {group}\n" for group in groups)
    return (
        "# The user the order tray's service runs as: no login, no home but its state directory.\n"
        f'u {layout.USER} - "Order tray" {layout.STATE_DIRECTORY} /usr/sbin/nologin\n'
        f"{members}"
    )


def udev_rules(serial_group: str) -> str:
    """A tray on USB: its group, `/dev/ordertray` and `/dev/ordertray-<board id>`, and ModemManager kept off it."""
    vendor, product = PICO
    board = f'ATTRS{{idVendor}}=="{vendor:04x}", ATTRS{{idProduct}}=="{product:04x}"'
    return (
        "# The order tray: a Pico running MicroPython, seen as a USB serial port.\n"
        "# ModemManager would send AT commands to it.\n"
        f'ACTION=="remove", GOTO="{layout.DEVICE_LINK}_end"\n'
        f'SUBSYSTEM=="usb", ENV{{DEVTYPE}}=="usb_device", {board}, ENV{{ID_MM_DEVICE_IGNORE}}="1"\n'
        f'SUBSYSTEM=="tty", {board}, ENV{{ID_MM_PORT_IGNORE}}="1", '
        f'GROUP="{serial_group}", MODE="0660", TAG+="uaccess", '
        f'SYMLINK+="{layout.DEVICE_LINK} {layout.DEVICE_LINK}-$attr{{serial}}"\n'
        f'LABEL="{layout.DEVICE_LINK}_end"\n'
    )


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%$=,~")


def quoted(program: object) -> str:
    """A program's path in a unit: as it is, or in quotes (systemd.service, "Command lines").

    Quotation marks, backslashes and control characters systemd takes in no path of a program, however they are written.
    """
    text = str(program).replace("%", "%%")
    return text if not set(text) - _PLAIN else f'"{text}"'


def unit(program: PurePosixPath, python: PurePosixPath, groups: tuple[str, ...]) -> str:
    """The service unit: notified start, watchdog, restart, lamps off whatever happens, and no rights but the needed."""
    devices = ["char-ttyACM rw"]
    if layout.GPIO_GROUP in groups:
        # The registers (RPi.GPIO) and the chip device (rpi-lgpio).
        devices += ["/dev/gpiomem rw", "char-gpiochip rw"]
    device_lines = "".join(f"DeviceAllow={device}\n" for device in devices)
    return f"""\
# Written by `ordertray install`; `systemctl edit ordertray` for changes that outlast the next install.
[Unit]
Description=Order tray
After=local-fs.target systemd-udevd.service
# What may be otherwise soon (a disk that came up read-only, a port in use: status 75) is tried again, however long.
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={quoted(program)} run --config {layout.CONFIGURATION}
# A killed program leaves its lamps as they were.
ExecStopPost=-{quoted(python)} -m ordertray.lights.all_off {layout.CONFIGURATION}
WatchdogSec={layout.WATCHDOG_S}
Restart=always
RestartSec=5
# Status 2: somebody must mend the configuration, or the record. Until then there is no use in trying.
RestartPreventExitStatus={layout.STATUS_BAD_CONFIGURATION}
TimeoutStopSec=10

User={layout.USER}
Group={layout.USER}
SupplementaryGroups={" ".join(groups)}
UMask=0077
StateDirectory={layout.STATE_DIRECTORY.name}
StateDirectoryMode=0700
RuntimeDirectory={layout.STATE_DIRECTORY.name}
WorkingDirectory={layout.STATE_DIRECTORY}
Environment=PYTHONUNBUFFERED=1
# rpi-lgpio puts a file of its own into its working directory.
Environment=LG_WD=/run/{layout.STATE_DIRECTORY.name}

# Nobody takes the machine through the page: it keeps to a part of these itself.
LimitNOFILE=1024
TasksMax=64
MemoryMax=400M
LogRateLimitIntervalSec=30s
LogRateLimitBurst=300

NoNewPrivileges=yes
MemoryDenyWriteExecute=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
DevicePolicy=closed
{device_lines}ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""


def configuration() -> str:
    """The configuration to begin with: everything at its default, every key named."""
    return commented_file()

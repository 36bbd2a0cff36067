"""Installing and taking back the service, in a root directory of its own, with the real systemd tools."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path, PurePosixPath

import pytest
import typer
from typer.testing import CliRunner

from ordertray.commands import install as cli
from ordertray.install import files, layout
from ordertray.install.perform import RUNNING_ROOT, StepFailedError, describe, perform, this_machine
from ordertray.install.plan import InstallError, Machine, RunCommand, Step, WriteFile, plan_install, plan_uninstall
from ordertray.lights.lamp_config import DEFAULT_LAMPS, parse_lamp_config
from ordertray.link.finder import PICO

PROGRAM, PYTHON = PurePosixPath("/opt/ordertray/bin/ordertray"), PurePosixPath("/opt/ordertray/bin/python3")
PI = Machine(frozenset({"root", "dialout", "plugdev", "gpio"}), True, PROGRAM, PYTHON)
TOOLS = ("systemd-sysusers", "systemctl", "systemd-analyze", "userdel")


@pytest.fixture(scope="session", autouse=True)
def systemd_tools() -> None:
    """These tests are of nothing without the real tools: missing ones fail, they do not skip."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    assert not missing, f"{', '.join(missing)} not found: apt-get install systemd passwd"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root file system as Raspberry Pi OS has it, as far as an installation looks at it."""
    root = tmp_path / "root"
    for directory in (
        "etc/systemd/system",
        "usr/lib/systemd",
        "usr/sbin",
        "opt/ordertray/bin",
        "var/lib",
        "run",
        "tmp",
    ):
        (root / directory).mkdir(parents=True)
    for name in ("usr/lib/systemd/systemd", "opt/ordertray/bin/ordertray", "opt/ordertray/bin/python3"):
        (root / name).write_text("#!/bin/sh\n")
        (root / name).chmod(0o755)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    # As Debian sets it: a user's own group goes with the user.
    (root / "etc/login.defs").write_text("USERGROUPS_ENAB yes\n")
    (root / "etc/shadow").write_text("root:*:19000:0:99999:7:::\n")
    (root / "etc/group").write_text("root:x:0:\ndialout:x:20:pi\nplugdev:x:46:\ngpio:x:997:pi\n")
    (root / "etc/gshadow").write_text("root:*::\ndialout:*::pi\nplugdev:*::\ngpio:!::pi\n")
    return root


def groups_of(root: Path, user: str) -> set[str]:
    lines = (line.split(":") for line in (root / "etc/group").read_text().splitlines())
    return {fields[0] for fields in lines if user in fields[3].split(",")}


def every_file(root: Path) -> dict[str, str]:
    """Path -> text (or link target) of everything below root that an installation may touch."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in sorted(root.rglob("*"))
        # Backups and lock files of the user database tools are theirs.
        if (path.is_file() or path.is_symlink())
        and not re.search(r"etc/(\.pwd\.lock|(passwd|shadow|g?shadow|group)-)$", str(path))
    }


def install(root: Path) -> list[str]:
    said: list[str] = []
    perform(plan_install(this_machine(root, Path("/opt/ordertray"))), root=root, say=said.append)
    return said


def test_the_installed_system_has_user_groups_rule_unit_and_configuration(root: Path) -> None:
    install(root)
    passwd = next(line for line in (root / "etc/passwd").read_text().splitlines() if line.startswith("ordertray:"))
    _, _, user_id, _, _, home, shell = passwd.split(":")
    assert 0 < int(user_id) < 1000, "a system user, not root and not a person"
    assert (home, shell) == ("/var/lib/ordertray", "/usr/sbin/nologin")
    assert groups_of(root, "ordertray") == {"dialout", "gpio"}
    assert groups_of(root, "pi") == {"dialout", "gpio"}, "other members are kept"
    wanted = root / "etc/systemd/system/multi-user.target.wants/ordertray.service"
    assert wanted.is_symlink()
    configuration = root / "etc/ordertray/ordertray.toml"
    assert stat.S_IMODE(configuration.stat().st_mode) == 0o640
    if os.geteuid() == 0:
        lines = [line.split(":") for line in (root / "etc/group").read_text().splitlines()]
        assert configuration.stat().st_gid == next(int(fields[2]) for fields in lines if fields[0] == "ordertray")
    assert stat.S_IMODE((root / "etc/udev/rules.d/70-ordertray.rules").stat().st_mode) == 0o644


def test_installing_again_changes_nothing_and_keeps_the_configuration(root: Path) -> None:
    install(root)
    before = every_file(root)
    said = install(root)
    assert every_file(root) == before
    configuration = root / "etc/ordertray/ordertray.toml"
    configuration.write_text("# mine\n[lamps]\n")
    said = install(root)
    assert configuration.read_text() == "# mine\n[lamps]\n"
    assert "kept /etc/ordertray/ordertray.toml" in said


def test_an_older_unit_is_brought_up_to_date(root: Path) -> None:
    install(root)
    unit = root / "etc/systemd/system/ordertray.service"
    unit.write_text("[Service]\nExecStart=/bin/old\n")
    install(root)
    assert f"ExecStart={PROGRAM} run" in unit.read_text()


def test_uninstall_takes_everything_back(root: Path) -> None:
    before = every_file(root)
    install(root)
    perform(plan_uninstall(this_machine(root)), root=root, say=lambda line: None)
    after = every_file(root)
    assert after == before
    assert not (root / "etc/ordertray").exists()


def test_uninstall_keeps_games_and_an_edited_configuration_unless_purged(root: Path) -> None:
    install(root)
    configuration, game = root / "etc/ordertray/ordertray.toml", root / "var/lib/ordertray/games.sqlite3"
    configuration.write_text("# mine\n")
    game.parent.mkdir()
    game.write_text("a game")
    said: list[str] = []
    perform(plan_uninstall(this_machine(root)), root=root, say=said.append)
    assert "kept /etc/ordertray/ordertray.toml: it was edited" in said
    assert configuration.exists() and game.exists()
    perform(plan_uninstall(this_machine(root), purge=True), root=root, say=said.append)
    assert not configuration.parent.exists() and not game.parent.exists()


def test_uninstalling_what_is_not_there_is_no_fault(root: Path) -> None:
    before = every_file(root)
    perform(plan_uninstall(this_machine(root)), root=root, say=lambda line: None)
    assert every_file(root) == before


def test_systemd_finds_no_fault_in_the_unit(root: Path, tmp_path: Path) -> None:
    """Verified on this machine's systemd with its targets; the programs named exist under stand-in paths."""
    unit = tmp_path / "ordertray.service"
    program, python = root / "opt/ordertray/bin/ordertray", root / "opt/ordertray/bin/python3"
    text = files.unit(PurePosixPath(program), PurePosixPath(python), ("dialout", "gpio"))
    unit.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=one", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # The check can fail: a misspelt directive is told.
    unit.write_text(text.replace("WatchdogSec=", "WatchdogSeconds="))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert "WatchdogSeconds" in done.stderr


def test_the_service_is_well_locked_in(tmp_path: Path) -> None:
    """Systemd's own exposure level, 0 (locked in) to 10: "OK" ends at 4.9, and most services score above 9."""
    unit = tmp_path / "ordertray.service"
    unit.write_text(files.unit(PROGRAM, PYTHON, ("dialout", "gpio")))
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=15", "--no-pager", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout


def settings(text: str) -> dict[str, list[str]]:
    """The settings of a unit, each with all its values."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def test_unit_watches_restarts_and_never_runs_as_root() -> None:
    unit = settings(files.unit(PROGRAM, PYTHON, ("dialout", "gpio")))
    assert unit["User"] == ["ordertray"]
    assert unit["Type"] == ["notify"]
    assert unit["WatchdogSec"] == ["30"]
    assert unit["Restart"] == ["always"]
    # "Mend it" ends the trying, "try later" (75) does not, however often.
    assert unit["RestartPreventExitStatus"] == ["2"] and unit["StartLimitIntervalSec"] == ["0"]
    for limit in ("LimitNOFILE", "TasksMax", "MemoryMax", "LogRateLimitBurst"):
        assert unit[limit][0].rstrip("M").isdigit()
    assert unit["UMask"] == ["0077"]
    assert unit["ExecStart"] == [f"{PROGRAM} run --config /etc/ordertray/ordertray.toml"]
    assert unit["ExecStopPost"] == [f"-{PYTHON} -m ordertray.lights.all_off /etc/ordertray/ordertray.toml"]
    assert unit["SupplementaryGroups"] == ["dialout gpio"]
    # "+" and "!" would run a command with root's rights.
    commands = [value for name, values in unit.items() if name.startswith("Exec") for value in values]
    assert not any(re.match(r"-?[+!]", command) for command in commands)


@pytest.mark.parametrize("name", ["my tray", "50%", "a$b", "a;b", "ñ"])
def test_any_path_is_one_word_of_the_unit(tmp_path: Path, name: str) -> None:
    """As systemd reads it: its own parser finds the program there, or says it is not executable, by its name."""
    program = tmp_path / name / "run"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "ordertray.service"
    unit.write_text(files.unit(PurePosixPath(program), PurePosixPath(program), ("dialout",)))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert "Exec" not in done.stderr and "xecutable" not in done.stderr, done.stderr
    program.unlink()
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert str(program) in done.stderr.replace("\\\\", "\\") or "not executable" in done.stderr, done.stderr


def test_pins_are_open_to_the_service_only_where_there_are_pins() -> None:
    assert "char-gpiochip rw" in settings(files.unit(PROGRAM, PYTHON, ("dialout", "gpio")))["DeviceAllow"]
    assert settings(files.unit(PROGRAM, PYTHON, ("dialout",)))["DeviceAllow"] == ["char-ttyACM rw"]


@pytest.mark.parametrize(
    ("groups", "serial", "member"),
    [
        ({"dialout", "plugdev", "gpio"}, "dialout", ("dialout", "gpio")),
        ({"plugdev"}, "plugdev", ("plugdev",)),
        ({"uucp"}, "ordertray", ()),
    ],
)
def test_groups_are_those_the_machine_has(groups: set[str], serial: str, member: tuple[str, ...]) -> None:
    machine = Machine(frozenset(groups), True, PROGRAM, PYTHON)
    assert (machine.serial_group, machine.service_groups) == (serial, member)
    written = {step.path: step.text for step in plan_install(machine) if isinstance(step, WriteFile)}
    assert f'GROUP="{serial}"' in written[layout.UDEV_RULES]
    assert re.findall(r"^m ordertray (\w+)$", written[layout.SYSUSERS], re.M) == list(member)


RULE_KEYS = {"ACTION", "SUBSYSTEM", "ATTRS", "ENV", "GOTO", "LABEL", "GROUP", "MODE", "TAG", "SYMLINK"}
RULE_ITEM = re.compile(r'([A-Z]+)(?:\{([A-Za-z_]+)\})?(==|!=|\+=|=)"([^"]*)"')


def udev_rules() -> list[list[tuple[str, str, str, str]]]:
    """The rules as (key, attribute, operator, value); a line that udev would not read fails."""
    rules = []
    for line in files.udev_rules("dialout").splitlines():
        if line.startswith("#"):
            continue
        items = [RULE_ITEM.fullmatch(item) for item in line.split(", ")]
        assert all(items), line
        rules.append([(m[1], m[2] or "", m[3], m[4]) for m in items if m])
    return rules


def test_udev_rule_matches_the_board_the_host_looks_for_and_gives_it_a_stable_name() -> None:
    rules = udev_rules()
    assert {key for rule in rules for key, *_ in rule} <= RULE_KEYS
    port = next(rule for rule in rules if ("SUBSYSTEM", "", "==", "tty") in rule)
    board = next(rule for rule in rules if ("SUBSYSTEM", "", "==", "usb") in rule)
    for rule in (port, board):
        assert ("ATTRS", "idVendor", "==", f"{PICO[0]:04x}") in rule
        assert ("ATTRS", "idProduct", "==", f"{PICO[1]:04x}") in rule
    assert ("SYMLINK", "", "+=", "ordertray ordertray-$attr{serial}") in port
    assert ("GROUP", "", "=", "dialout") in port and ("MODE", "", "=", "0660") in port
    assert ("ENV", "ID_MM_DEVICE_IGNORE", "=", "1") in board
    assert ("ENV", "ID_MM_PORT_IGNORE", "=", "1") in port
    labels = {value for rule in rules for key, _, _, value in rule if key == "LABEL"}
    assert {value for rule in rules for key, _, _, value in rule if key == "GOTO"} == labels


def test_udev_rule_comes_before_those_that_read_it() -> None:
    number = int(layout.UDEV_RULES.name[:2])
    assert number < 73, "73-seat-late.rules reads the uaccess tag; ModemManager's rules begin at 77"


def test_udev_itself_reads_the_rules_where_it_can_say_so(root: Path) -> None:
    """`udevadm verify` exists from systemd 254 on (trixie); on older ones the test above is all there is."""
    udevadm = shutil.which("udevadm")
    version = subprocess.run(["systemctl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    if udevadm is None or int(version) < 254:
        assert udev_rules(), "read by our own reader above"
        return
    install(root)
    rules = root / "etc/udev/rules.d/70-ordertray.rules"
    done = subprocess.run([udevadm, "verify", str(rules)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_configuration_is_valid_and_its_commented_lamps_are_the_defaults() -> None:
    text = files.configuration()
    assert tomllib.loads(text) == {}
    uncommented = "\n".join(re.sub(r"^# (?=\[|\w+[\w.]* =)", "", line) for line in text.splitlines())
    assert parse_lamp_config(tomllib.loads(uncommented)["lamps"]) == DEFAULT_LAMPS


def test_everything_in_the_way_is_told_at_once() -> None:
    machine = Machine(
        frozenset({"dialout"}),
        False,
        PurePosixPath("/home/pi/my venv/bin/ordertray"),
        PurePosixPath("/home/pi/my venv/bin/python3"),
        PurePosixPath("/root/.pyenv/bin/python3.11"),
    )
    with pytest.raises(InstallError) as caught:
        plan_install(machine)
    places = [problem.place for problem in caught.value.problems]
    assert places == [
        "systemd",
        "/home/pi/my venv/bin/ordertray",
        "/root/.pyenv/bin/python3.11",
        "/home/pi/my venv/bin/ordertray",
        "/home/pi/my venv/bin/python3",
    ]
    assert "/install.sh ordertray-VERSION-py3-none-any.whl" in caught.value.problems[1].text()


def command_line() -> typer.Typer:
    """The two commands, as the command line has them."""
    app = typer.Typer()
    app.command("install")(cli.install_command)
    app.command("uninstall")(cli.uninstall_command)
    return app


def test_dry_run_prints_every_step_and_file_and_touches_nothing(root: Path) -> None:
    app = command_line()
    before = every_file(root)
    arguments = ["install", "--dry-run", "--root", str(root), "--environment", "/opt/ordertray"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert every_file(root) == before
    for step in plan_install(PI):
        if isinstance(step, WriteFile):
            assert f"write {step.path}" in done.stdout
            assert all(line in done.stdout for line in step.text.splitlines())
        if isinstance(step, RunCommand):
            assert " ".join(step.argv) in done.stdout


def test_commands_install_and_uninstall_in_another_root(root: Path) -> None:
    app = command_line()
    before = every_file(root)
    done = CliRunner().invoke(app, ["install", "--root", str(root), "--environment", "/opt/ordertray"])
    assert done.exit_code == 0, done.output
    assert (root / "etc/systemd/system/ordertray.service").exists()
    done = CliRunner().invoke(app, ["uninstall", "--root", str(root)])
    assert done.exit_code == 0, done.output
    assert every_file(root) == before


def test_faults_end_with_status_2_and_no_traceback(root: Path) -> None:
    app = command_line()
    done = CliRunner().invoke(app, ["install", "--root", str(root), "--environment", "/home/pi/venv"])
    assert done.exit_code == 2
    assert "the service cannot see programs in /home" in done.output
    shutil.rmtree(root / "usr/lib/systemd")
    done = CliRunner().invoke(app, ["install", "--root", str(root), "--environment", "/opt/ordertray"])
    assert done.exit_code == 2
    assert "there is no systemd here" in done.output


def test_a_command_that_fails_stops_the_installation_and_says_why(root: Path) -> None:
    steps: list[Step] = [
        RunCommand(("false",), "prove it", in_root=("false",)),
        WriteFile(PurePosixPath("/etc/after"), "", "never"),
    ]
    with pytest.raises(StepFailedError, match="prove it: false: status 1"):
        perform(steps, root=root, say=lambda line: None)
    assert not (root / "etc/after").exists()
    with pytest.raises(StepFailedError, match="there is no command no-such-tool"):
        perform([RunCommand(("x",), "y", in_root=("no-such-tool",))], root=root, say=lambda line: None)
    said: list[str] = []
    perform([RunCommand(("x",), "y", in_root=("false",), may_fail=True)], root=root, say=said.append)
    assert said == ["went on without false: status 1"]


def test_only_root_installs_into_the_running_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(StepFailedError, match="sudo"):
        perform(plan_install(PI), root=RUNNING_ROOT)


def test_description_says_what_may_fail_and_what_is_kept() -> None:
    text = describe(plan_uninstall(PI)) + describe(plan_uninstall(PI, purge=True)) + describe(plan_install(PI))
    for words in ("(may fail)", "(kept if present)", "(if empty)", "and all in it", "(if it is as it was written)"):
        assert words in text

"""`ordertray tokens ...`: what a player types and sees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
import pytest
import zxingcpp
from typer.testing import CliRunner, Result

from ordertray.army.roster import load_army
from ordertray.commands.tokens import app
from ordertray.sim import VirtualTray
from ordertray.tokens.labels import labels_for, starter_labels
from ordertray.tokens.model import Role, Token, TokenKind, parse_role
from ordertray.tokens.registry import TokenRegistry, load_registry
from ordertray.tokens.store import TokenStore
from ordertray.tokens.virtual import virtual_tokens, virtual_uid
from patience import patience

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without discs, who reads English, in a folder of his own."""
    monkeypatch.setenv("ORDERTRAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ORDERTRAY_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object, status: int = 0) -> Result:
    """Run a command; its status must be `status`."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == status, result.output
    return result


@pytest.mark.parametrize("command", ["labels", "enrol", "list", "forget", "check", "virtual"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = run(command, "--help").output
    assert "Example:" in text and f"ordertray tokens {command}" in text


def codes(path: Path) -> list[str]:
    """All QR codes of a PDF."""
    document = pypdfium2.PdfDocument(path)
    found = [code for page in document for code in zxingcpp.read_barcodes(page.render(scale=300 / 72).to_pil())]
    document.close()
    return sorted(code.text for code in found if code.format == zxingcpp.BarcodeFormat.QRCode)


def test_labels_for_a_roster_and_for_nobody(home: Path) -> None:
    assert "37 labels written: red.pdf" in run("labels", EXAMPLES / "red.toml", "-o", "red.pdf").stdout
    assert codes(home / "red.pdf") == sorted(label.uri for label in labels_for(load_army(EXAMPLES / "red.toml")))
    assert "30 labels written" in run("labels", "-o", "s.pdf", "--paper", "letter", "--size", "30").stdout
    assert codes(home / "s.pdf") == sorted(label.uri for label in starter_labels())
    assert "exists already" in run("labels", "-o", "s.pdf", status=2).stderr
    first = (home / "red.pdf").read_bytes()
    run("labels", EXAMPLES / "red.toml", "-o", "red.pdf", "--force")
    assert (home / "red.pdf").read_bytes() == first


def test_one_label_on_a_pre_cut_sheet_that_is_partly_used_up(home: Path) -> None:
    red = EXAMPLES / "red.toml"
    result = run(
        "labels", red, "-o", "one.pdf", "--sheet", "rayfilm-2525k", "--first", "70", "--only", "trooper captain"
    )
    assert "1 labels written" in result.stdout and codes(home / "one.pdf") == [
        "ordertray:trooper?group=1&trooper=captain"
    ]
    run("labels", red, "-o", "two.png", "--only", "irregular 2", "--only", "regular g2 1", "--offset", "0.5", "-1")
    assert (home / "two.png").read_bytes().startswith(b"\x89PNG")
    assert "22 labels written" in run("labels", red, "-o", "discs.pdf", "--no-troopers").stdout
    assert (
        "no such label here: Trooper, nobody"
        in run("labels", red, "-o", "x.pdf", "--only", "trooper nobody", status=2).stderr
    )
    assert "a disc begins with its kind" in run("labels", "-o", "x.pdf", "--only", "pigeon", status=2).stderr
    assert "no sheet of labels x; known are" in run("labels", "-o", "x.pdf", "--sheet", "x", status=2).stderr
    assert (
        "places 1 to 48" in run("labels", "-o", "x.pdf", "--sheet", "endisch-6500030", "--first", "49", status=2).stderr
    )


def test_what_is_missing_is_told_with_the_command_for_this_very_python(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "reportlab.pdfgen.canvas", None)
    said = run("labels", "-o", "x.pdf", status=2).stderr
    assert f"{sys.executable} -m pip install " in said and "reportlab" in said


def test_labels_that_cannot_be_made_are_a_message(home: Path) -> None:
    assert "discs of 18 to 50 mm" in run("labels", "-o", "s.pdf", "--size", "12", status=2).stderr
    assert "there is no such file" in run("labels", "none.toml", "-o", "s.pdf", status=2).stderr
    (home / "x.toml").write_text('points=1\n[[trooper]]\nid="a"\nname="Łódź 鷹"\ncost=0\nlieutenant=true')
    assert "the font of the labels lacks: 鷹" in run("labels", "x.toml", "-o", "x.pdf").stderr
    assert not (home / "s.pdf").exists()


def test_virtual_discs_are_those_of_the_examples(home: Path) -> None:
    run("virtual", EXAMPLES / "red.toml", "-o", "red-tokens.toml", "--owner", "red")
    assert load_registry(home / "red-tokens.toml") == load_registry(EXAMPLES / "tokens" / "red.toml")


def test_list_and_forget(home: Path) -> None:
    assert "no disc is enrolled yet" in run("list").stdout
    army = load_army(EXAMPLES / "red.toml")
    TokenStore().save(virtual_tokens(army, "Ana"))
    text = run("list").stdout
    assert "Ana: 37 discs" in text and "Regular, group 1, number 3" in text
    assert "Ana: 37 discs" in run("list", "--owner", "Ana").stdout
    uid = next(iter(virtual_tokens(army, "Ana"))).uid
    colons = ":".join(uid[place : place + 2] for place in range(0, 14, 2)).lower()
    assert "36 discs left" in run("forget", colons, "--owner", "Ana").stdout
    result = run("forget", uid, "xyz", virtual_uid("other"), "--owner", "Ana", status=2)
    assert len(result.stderr.strip().splitlines()) == 3
    assert len(TokenStore().load("Ana")) == 36


def test_check_names_faults_and_discs_that_two_have(home: Path) -> None:
    red, blue = EXAMPLES / "tokens" / "red.toml", EXAMPLES / "tokens" / "blue.toml"
    assert "red.toml: good: 37 discs" in run("check", red, blue).stdout
    (home / "copy.toml").write_bytes(red.read_bytes())
    assert "37 problem(s)" in run("check", red, "copy.toml", status=2).stderr
    (home / "bad.toml").write_text("[[token]]\nuid = 1\n")
    text = run("check", "bad.toml", "none.toml", status=2).stderr
    assert "bad.toml: 2 problem(s)" in text and "none.toml: 1 problem(s)" in text
    TokenStore().save(TokenRegistry([Token(virtual_uid("x"), Role(TokenKind.STATE), "Ana")], "Ana"))
    assert "Ana: good: 1 discs" in run("check").stdout


def test_enrol_without_a_tray_or_with_faults_is_a_message(home: Path) -> None:
    result = run("enrol", "--port", "/dev/no-such-port", "--wait", "0.2", status=2)
    assert "no tray: " in result.stderr and "/dev/no-such-port" in result.stderr
    assert "there is no such file" in run("enrol", "none.toml", status=2).stderr
    assert "a disc begins with its kind" in run("enrol", "--replace", "pigeon 1", status=2).stderr
    assert "no such disc is enrolled: Regular, group 1, number 3" in run(
        "enrol", "--replace", "regular g1 3", status=2
    ).stderr  # fmt: skip
    (home / "home" / "tokens").mkdir(parents=True)
    (home / "home" / "tokens" / "ben.toml").write_text("[")
    assert "ben.toml: this is not TOML" in run("enrol", status=2).stderr


def test_enrol_says_when_everything_is_there(home: Path) -> None:
    army = load_army(EXAMPLES / "red.toml")
    TokenStore().save(virtual_tokens(army, "A", named=False))
    assert "all 37 discs are enrolled" in run("enrol", EXAMPLES / "red.toml", "--port", "/dev/null").stdout


def enrol_at(tray: VirtualTray, uid: str, *words: object) -> str:
    """Run `tokens enrol` as a program of its own; lay this disc down when it asks for a Lieutenant's. What it said."""
    program = "from ordertray.commands.tokens import app; app()"
    command = [sys.executable, "-c", program, "enrol", *map(str, words), "--owner", "Ana", "--port", tray.url]
    with subprocess.Popen([*command, "--wait", "30"], stdout=subprocess.PIPE, text=True) as process:
        try:
            tray.wait_for(lambda: tray.colours("A")[10] == "p", 40, "asked for a Lieutenant's disc")
            tray.place("A", uid)
            said, _errors = process.communicate(timeout=patience(40))
        finally:
            process.kill()
    assert process.returncode == 0
    return said


def test_enrol_at_a_virtual_tray_and_replace_a_lost_disc(home: Path) -> None:
    army = load_army(EXAMPLES / "red.toml")
    full = virtual_tokens(army, "Ana", named=False)
    store = TokenStore()
    store.save(TokenRegistry([token for token in full if token.kind is not TokenKind.LIEUTENANT], "Ana"))
    new, spare = virtual_uid("new"), virtual_uid("spare")
    with VirtualTray() as tray:
        said = enrol_at(tray, new, EXAMPLES / "red.toml")
    assert "lay on pad A: Lieutenant, number 1" in said and "all 37 discs are enrolled" in said
    assert new in store.load("Ana")
    with VirtualTray() as tray:
        enrol_at(tray, spare, "--replace", "lieutenant 1", "--write")
    after = store.load("Ana")
    assert new not in after and after.get(spare) == Token(spare, Role(TokenKind.LIEUTENANT, None, 1), "Ana")
    assert len(after) == 37


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("regular g1 3", Role(TokenKind.REGULAR, 1, 3)),
        ("Regular 3 G2", Role(TokenKind.REGULAR, 2, 3)),
        ("lieutenant 1", Role(TokenKind.LIEUTENANT, None, 1)),
        ("trooper g1 nomad", Role(TokenKind.TROOPER, 1, None, "nomad")),
        ("trooper 7", Role(TokenKind.TROOPER, None, None, "7")),
        ("irregular g2 nomad", Role(TokenKind.IRREGULAR, 2, None, "nomad")),
        ("state", Role(TokenKind.STATE)),
        ("state dead", Role(TokenKind.STATE, state="dead")),
    ],
)
def test_discs_as_players_type_them(text: str, role: Role) -> None:
    assert parse_role(text) == role


@pytest.mark.parametrize("text", ["", "pigeon", "regular nomad", "state tired", "regular 1 2 3", "regular g1 g2"])
def test_what_is_no_disc_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a disc "):
        parse_role(text)

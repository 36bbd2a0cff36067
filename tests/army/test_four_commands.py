"""From a code and a data folder to printed labels and a game, in four commands, as the README shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]

from patience import patience

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_from_a_code_and_a_data_folder_to_labels_and_a_game(tmp_path: Path) -> None:
    environment = {**os.environ, "ORDERTRAY_HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def ordertray(*words: object, text: str = "") -> str:
        program = [sys.executable, "-c", "from ordertray.commands.main import main; main()", *map(str, words)]
        done = subprocess.run(
            program,
            input=text,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=patience(60),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = (EXAMPLES / "army-code.txt").read_text().strip()
    ordertray("army", "decode", code, "--data", EXAMPLES / "army-data", "-o", "mine.toml")
    assert "300 of 300 points" in ordertray("army", "check", "mine.toml")
    ordertray("tokens", "labels", "mine.toml", "-o", "sheet.pdf")
    assert len(pypdfium2.PdfDocument(tmp_path / "sheet.pdf")) == 1
    script = "A start\nA next\nA next\nA next\nA spend regular g1 cinder-sergeant\nshow\n"
    game = ordertray("play", "--a", "mine.toml", "--b", EXAMPLES / "blue.toml", text=script).splitlines()
    assert game[-1].startswith("ok @") and "g1 8/9" in game[-1], game

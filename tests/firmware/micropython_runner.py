"""Runs one test module on the interpreter that runs this file: `micropython_runner.py MODULE FOLDER...`.

The folders go on the path. One line for each test: `ok NAME`, or `failed NAME` and the traceback with four blanks
before each line. Knows plain functions named test_* without arguments.
"""

import io
import sys


def run(name: str) -> None:
    """Import the module and call its tests in alphabetical order."""
    module = __import__(name)
    for part in name.split(".")[1:]:
        module = getattr(module, part)
    for test in sorted(dir(module)):
        if not test.startswith("test_"):
            continue
        try:
            getattr(module, test)()
        except Exception as error:
            out = io.StringIO()
            sys.print_exception(error, out)  # type: ignore[attr-defined]
            print("failed", test)
            for line in out.getvalue().split("\n"):
                print("    " + line)
        else:
            print("ok", test)


sys.path.extend(sys.argv[2:])
run(sys.argv[1])

"""KiCad's file format: nested lists of words and quoted texts, read and written."""

import re
from collections.abc import Iterator
from typing import Final

Tree = list["Tree | str"]


class Text(str):
    """An atom that is written in quotes."""

    __slots__ = ()


_TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')
_LINE_LIMIT: Final = 100


def parse(source: str) -> Tree:
    """Return the one list that `source` holds. Raises ValueError if it does not hold exactly one."""
    finished: Tree = []
    open_lists: list[Tree] = []
    current = finished
    for match in _TOKEN.finditer(source):
        quoted, bracket, word = match.groups()
        if bracket == "(":
            open_lists.append(current)
            current = []
        elif bracket == ")":
            if not open_lists:
                raise ValueError(f"closing bracket without an opening one at character {match.start()}")
            done, current = current, open_lists.pop()
            current.append(done)
        else:
            current.append(word if quoted is None else Text(re.sub(r"\\(.)", r"\1", quoted)))
    if open_lists or len(finished) != 1 or not isinstance(finished[0], list):
        raise ValueError("not one whole list")
    return finished[0]


def dump(tree: Tree, depth: int = 0) -> str:
    """Write `tree` as KiCad does: short lists on one line, long ones with a line for each child."""
    flat = _flat(tree)
    if len(flat) < _LINE_LIMIT and depth:
        return flat
    head = [_atom(child) for child in tree[:2] if isinstance(child, str)]
    rest = tree[len(head) :]
    indent = "\t" * (depth + 1)
    lines = [indent + (dump(child, depth + 1) if isinstance(child, list) else _atom(child)) for child in rest]
    return "(" + " ".join(head) + "\n" + "\n".join(lines) + "\n" + "\t" * depth + ")"


def children(tree: Tree, name: str) -> Iterator[Tree]:
    """Every child list of `tree` that begins with the word `name`."""
    for child in tree:
        if isinstance(child, list) and child and child[0] == name:
            yield child


def child(tree: Tree, name: str) -> Tree:
    """Return the first child list that begins with `name`. Raises KeyError if there is none."""
    for found in children(tree, name):
        return found
    raise KeyError(name)


def word(tree: Tree, index: int = 1) -> str:
    """Return the atom at `index`. Raises TypeError if a list stands there."""
    atom = tree[index]
    if isinstance(atom, list):
        raise TypeError(f"a list where a word should be: {_flat(atom)}")
    return atom


def _atom(atom: str) -> str:
    if isinstance(atom, Text):
        return '"' + atom.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return atom


def _flat(tree: Tree) -> str:
    return "(" + " ".join(_flat(child) if isinstance(child, list) else _atom(child) for child in tree) + ")"

"""Small changes to a Python source that good tests notice: comparisons, conditions, constants, and/or, plus/minus.

Found in the syntax tree, made in the text, so that all else of the file stays byte for byte as it was. What says
nothing about behaviour is left alone: annotations, decorators, `__all__`, branches for the type checker, what a `raise`
or an `assert` says, and strings (most of them are words for people).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True)
class Change:
    """One change: the text from `start` to `end` (offsets in UTF-8) becomes `after`."""

    line: int
    start: int
    end: int
    before: str
    after: str

    def applied_to(self, source: str) -> str:
        """The whole source with this change made."""
        raw = source.encode()
        return (raw[: self.start] + self.after.encode() + raw[self.end :]).decode()


def changes_of(source: str) -> list[Change]:
    """Every change that can be made to `source`, in the order of the text.

    Raises:
        SyntaxError: the source is not Python.
    """
    return sorted(_Finder(source).found(ast.parse(source)), key=lambda change: (change.start, change.end, change.after))


class _Finder:
    def __init__(self, source: str) -> None:
        self._raw = source.encode()
        self._lines = [0]
        for line in self._raw.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def found(self, node: ast.AST) -> Iterator[Change]:
        """Changes to `node` and to all below it."""
        yield from self._here(node)
        for child in self._children(node):
            yield from self.found(child)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        """What lies below `node` and says something about behaviour."""
        left_out: set[int] = set()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                left_out |= {id(part) for part in (*node.decorator_list, node.returns)}
            case ast.ClassDef():
                left_out |= {id(part) for part in node.decorator_list}
            case ast.arg():
                left_out.add(id(node.annotation))
            case ast.AnnAssign():
                left_out |= {id(node.annotation), id(node.target)}
                if _is_type_alias(node.annotation):
                    left_out.add(id(node.value))
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.Raise() | ast.Assert():
                return
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                left_out |= {id(part) for part in (node.test, *node.body)}
        yield from (child for child in ast.iter_child_nodes(node) if id(child) not in left_out)

    def _here(self, node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
                other = ast.Compare(node.left, [COMPARISONS[type(operator)]()], node.comparators)
                yield self._change(node, f"({ast.unparse(other)})")
            case ast.BoolOp(op=operator):
                swapped = ast.Or() if isinstance(operator, ast.And) else ast.And()
                yield self._change(node, f"({ast.unparse(ast.BoolOp(swapped, node.values))})")
            case ast.BinOp(op=operator) if type(operator) in ARITHMETIC and not _has_text(node):
                yield self._change(
                    node, f"({ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(operator)](), node.right))})"
                )
            case ast.UnaryOp(op=ast.Not()):
                yield self._change(node, f"({ast.unparse(node.operand)})")
            case ast.Constant(value=bool(truth)):
                yield self._change(node, str(not truth))
            case ast.Constant(value=int(number)):
                yield self._change(node, str(number + 1))
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from self._condition(test)
            case ast.comprehension():
                for test in node.ifs:
                    yield from self._condition(test)

    def _condition(self, test: ast.expr) -> Iterator[Change]:
        """A condition turned round, where no other change does the same."""
        plain = isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr | ast.Subscript)
        if plain and not (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"):
            yield self._change(test, f"(not ({ast.unparse(test)}))")

    def _change(self, node: ast.expr, after: str) -> Change:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        end = self._lines[node.end_lineno - 1] + node.end_col_offset
        return Change(node.lineno, start, end, self._raw[start:end].decode(), after)


def _is_type_alias(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "TypeAlias"


def _has_text(node: ast.BinOp) -> bool:
    """Whether text is put together here: the other operation does not exist for it."""
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str | bytes))
        for part in ast.walk(node)
    )

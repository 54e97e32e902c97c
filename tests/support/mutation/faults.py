"""Faults of one token each that a module could have, found in its syntax tree."""

import ast
from collections.abc import Iterator

from msgspec import Struct

_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.And: "or",
    ast.Or: "and",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.Mod: "*",
}


class Fault(Struct, frozen=True, order=True):
    """A place in a file, and what stands there instead.

    Attributes:
        path: The file, from the root.
        line: Its line, 1 first.
        start: Offset of the first byte that is replaced.
        end: Offset after the last one.
        before: What stands there.
        after: What is put there.
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """Return the file with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        """Say where it is, and what it changes, each in one line."""
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before} -> {after}"


def faults_of(path: str, source: bytes) -> tuple[Fault, ...]:
    """Return all faults that a file could have, in its order; each leaves it a program."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def fault(node: ast.expr | ast.stmt, after: str) -> Fault:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[node.end_lineno - 1] + node.end_col_offset
        return Fault(path, node.lineno, start, end, source[start:end].decode(), after)

    found = {
        fault(place, after)
        for node in _nodes(ast.parse(source))
        for place, after in _instead(node, source.decode())
    }
    return tuple(sorted(found))


def _nodes(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield what is carried out: no annotations, texts, imports, options of classes, no `case`."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "pattern", "type_params", "decorator_list", "bases"}:
            continue
        if name == "keywords" and isinstance(node, ast.ClassDef):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr | ast.TypeAlias | ast.Import | ast.ImportFrom):
                continue
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "cast":
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            if isinstance(child, ast.AST):
                yield from _nodes(child)


def _instead(node: ast.expr | ast.stmt, source: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield each place at a node where something else could stand by mistake, and what."""

    def text(part: ast.AST) -> str:
        return f"({ast.get_source_segment(source, part)})"

    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _SWAPPED:
            yield node, f"({text(left)} {_SWAPPED[type(operator)]} {text(right)})"
        case ast.BoolOp(op=operator, values=values):
            yield node, f"({f' {_SWAPPED[type(operator)]} '.join(map(text, values))})"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _SWAPPED:
            yield node, f"({text(left)} {_SWAPPED[type(operator)]} {text(right)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, text(operand)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield node, f"({text(orelse)} if {text(test)} else {text(body)})"
        case ast.If(test=(ast.Name() | ast.Call() | ast.Attribute()) as test):
            yield test, f"(not {text(test)})"
        case ast.Constant(value=bool(value)):
            yield node, str(not value)
        case ast.Constant(value=int(value)):
            yield node, str(value + 1)
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield node, "pass"
        case _:
            return

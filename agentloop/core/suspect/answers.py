"""Rules about objects that give the answer a test wants to hear, whatever they are asked."""

from __future__ import annotations

import ast

from agentloop.core.suspect.page import Function, Page

TWO_SIDED = {"__eq__", "__ne__", "__contains__", "__instancecheck__", "__subclasscheck__"}
"""Orders are left out: infinities answer them without looking, honestly."""

COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__"}
VALUES = {"int", "str", "float", "bytes", "complex"}


def answers_always(node: ast.AST, page: Page) -> bool:
    """A comparison that never looks at the other side, however it is written and attached."""
    match node:
        case ast.FunctionDef() if node.name in TWO_SIDED:
            return _blind(node) and "abstractmethod" not in "".join(map(ast.dump, node.decorator_list))
        case ast.Assign(value=ast.Lambda() as function):
            return any(_name(target) in TWO_SIDED for target in node.targets) and _blind(function)
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return any(_text(key) in TWO_SIDED and isinstance(value, ast.Lambda) and _blind(value)
                       for key, value in pairs)  # fmt: skip
        case ast.Call() if page.dotted(node.func) == "setattr" and len(node.args) == 3:
            made = node.args[2]
            return _text(node.args[1]) in TWO_SIDED and (not isinstance(made, ast.Lambda) or _blind(made))
    return False


def poses(node: ast.AST, page: Page) -> bool:
    """A number or text whose equality is its own, or an object that says it is of another class."""
    if isinstance(node, ast.ClassDef):
        own = {_name(part) for part in node.body} | {
            _name(target) for part in node.body if isinstance(part, ast.Assign) for target in part.targets
        }
        return bool(own & COMPARISONS) and any(page.dotted(base) in VALUES for base in node.bases)
    return isinstance(node, ast.FunctionDef) and node.name == "__class__"


def _blind(made: Function) -> bool:
    """Whether the second argument never decides: it is not read, compared with itself, or drowned by a constant."""
    places = [*made.args.posonlyargs, *made.args.args]
    body: list[ast.AST] = list(made.body) if isinstance(made.body, list) else [made.body]
    if _says_nothing(body):
        return False
    other = places[1].arg if len(places) > 1 else None
    read = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == other]
    if other is None or not read:
        return made.args.vararg is None or not _reads(body, made.args.vararg.arg)
    returned = [n.value for part in body for n in ast.walk(part) if isinstance(n, ast.Return) and n.value]
    results = [made.body] if isinstance(made, ast.Lambda) else returned
    truths = {truth for value in results if (truth := _truth(value)) != "refuses"}
    return len(truths) == 1 and None not in truths


def _says_nothing(body: list[ast.AST]) -> bool:
    """Only raises, `...`, or NotImplemented: an honest refusal to compare."""
    kept = [part for part in body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return all(isinstance(part, (ast.Raise, ast.Pass)) or "NotImplemented" in ast.dump(part) for part in kept)


def _reads(body: list[ast.AST], name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for part in body for n in ast.walk(part))


def _truth(value: ast.AST) -> bool | str | None:
    """The one truth value that an expression has whatever its names hold; None where it depends on them."""
    match value:
        case ast.Constant():
            return bool(value.value)
        case ast.Name(id="NotImplemented"):
            return "refuses"
        case ast.UnaryOp(op=ast.Not()):
            inner = _truth(value.operand)
            return not inner if isinstance(inner, bool) else None
        case ast.BoolOp(op=ast.Or()):
            return True if any(_truth(part) is True for part in value.values) else None
        case ast.BoolOp(op=ast.And()):
            return False if any(_truth(part) is False for part in value.values) else None
        case ast.Compare(ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return True if ast.dump(value.left) == ast.dump(right) else None
    return None


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.FunctionDef():
            return node.name
    return ""


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""

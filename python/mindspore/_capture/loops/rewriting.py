# SPDX-License-Identifier: Apache-2.0
"""Functions whose loops are calls of a runner, made from the syntax trees of the user's functions.

A loop ``while test: body`` becomes

    def test_1(names): return test
    def body_1(names): body; return NEXT, None, locals()
    out_1 = loops.while_loop(place, names, written, attributes, test_1, body_1, locals())
    if out_1.has("name"): name = out_1["name"]
    if out_1.returned: return out_1.value

and a statement that may decide something the same with ``loops.choice`` and without a test,
with ``break``, ``continue`` and ``return`` of the body as results of its function. Functions that are called
are exchanged in the same way where the call is.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
import types

from mindspore._capture import code as codes
from mindspore._capture.loops.choices import is_choice, wrap_choices
from mindspore._capture.loops.names import (
    assigned,
    assigned_attributes,
    reads,
    seen_by_functions,
    variables_of,
    written,
)

RUNNER = "_mycel_loops_"
_NOT_EXCHANGED = frozenset(
    ("super", "locals", "globals", "vars", "dir", "eval", "exec", "range", "isinstance")
)
_UNSUITED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.Global, ast.Nonlocal)
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Rewriter:
    """Makes functions whose loops are calls.

    Args:
        runner (object): What they call.
        has_choices (bool): Statements that may decide something are calls too.
    """

    def __init__(self, runner, has_choices: bool = False):
        self._runner, self._has_choices = types.CellType(runner), has_choices
        self._made: dict[types.FunctionType, types.FunctionType] = {}

    def rewritten(self, function: types.FunctionType) -> types.FunctionType:
        """The function with loops as calls; itself, where it is not the user's or its text is not known."""
        if codes.kind_of(function.__code__) != codes.USER:
            return function
        if function not in self._made:
            self._made[function] = self._new(function) or function
        return self._made[function]

    def _new(self, function: types.FunctionType) -> types.FunctionType | None:
        tree = definition(function)
        if tree is None:
            return None
        file = function.__code__.co_filename
        tree.decorator_list = []
        if self._has_choices:
            _check_choices(tree, file)
            wrap_choices(tree)
        _LoopsAsCalls(tree, file).visit_function()
        code = compiled(tree, function, file)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells[RUNNER] = self._runner
        if code is None or any(name not in cells for name in code.co_freevars):
            return None
        closure = tuple(cells[name] for name in code.co_freevars)
        made = types.FunctionType(
            code, function.__globals__, function.__name__, function.__defaults__, closure
        )
        made.__kwdefaults__ = function.__kwdefaults__
        made.__qualname__ = function.__qualname__
        return made


def _check_choices(tree: ast.FunctionDef, file: str) -> None:
    """RuntimeError where items are assigned: after a decision, two names may be one tensor on some ways."""
    names = written(tree.body)
    if names:
        raise RuntimeError(
            f"'{tree.name}' ({file}:{tree.lineno}) assigns items of {', '.join(sorted(names))}; make new "
            "tensors instead"
        )


def definition(function: types.FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, with the lines of its file."""
    try:
        lines, first = inspect.getsourcelines(function)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not module.body or not isinstance(module.body[0], ast.FunctionDef):
        return None
    tree = module.body[0]
    if tree.name != function.__code__.co_name or any(
        isinstance(each, _UNSUITED[:3]) for each in ast.walk(tree)
    ):
        return None
    margin = len(lines[0]) - len(lines[0].lstrip())
    for each in ast.walk(tree):  # places are those of the file
        if hasattr(each, "col_offset"):
            each.col_offset += margin
            each.end_col_offset += margin
    return ast.increment_lineno(tree, max(first, 1) - 1)


def compiled(
    tree: ast.FunctionDef, function: types.FunctionType, file: str, further: tuple[str, ...] = (RUNNER,)
) -> types.CodeType | None:
    """Code of the function, inside a function that has its free variables, inside a class as it was.

    Args:
        tree (ast.FunctionDef): What is compiled.
        function (types.FunctionType): In whose place.
        file (str): Where it stands.
        further (tuple): Free variables that it has besides.
    """
    names = ", ".join((*further, *function.__code__.co_freevars))
    around = ast.parse(f"def around({names}):\n    pass").body[0]
    around.body = [tree, *ast.parse(f"{tree.name}").body]
    outer: ast.stmt = around
    owner = function.__qualname__.split(".")[-2:-1]
    if owner and owner[0] != "<locals>":  # private names are those of the class
        outer = ast.parse(f"class {owner[0]}:\n    pass").body[0]
        outer.body = [around]
    module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    waiting = [compile(module, file, "exec", dont_inherit=True, flags=_future_flags(function))]
    while waiting:
        code = waiting.pop()
        inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
        for each in inner:
            if code.co_name == "around" and each.co_name == tree.name:
                return each
        waiting += inner
    return None


def _future_flags(function: types.FunctionType) -> int:
    return function.__code__.co_flags & __future__.annotations.compiler_flag


class OutsideInnerFunctions(ast.NodeTransformer):
    """A transformer of a function that leaves those inside it alone."""

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            result += made if isinstance(made, list) else [made]
        return result

    def visit_FunctionDef(self, node: ast.FunctionDef):
        """Inner functions stay as they are."""
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef


class _LoopsAsCalls(OutsideInnerFunctions):
    """Changes one function in place."""

    def __init__(self, tree: ast.FunctionDef, file: str):
        self._tree, self._file = tree, file
        for each in ast.walk(tree):
            if isinstance(each, ast.While) and not each.orelse and _assigns(each.test):
                _move_test(each)
        self._around: list[ast.AST] = []  # loops
        self._count = 0
        loops = [each for each in ast.walk(tree) if isinstance(each, (ast.While, ast.For))]
        declared = {
            name
            for each in ast.walk(tree)
            if isinstance(each, (ast.Global, ast.Nonlocal))
            for name in each.names
        }
        self._suited = {
            id(each)
            for each in loops
            if is_suited(each)
            and declared.isdisjoint(assigned([each]))
            and seen_by_functions(tree, each).isdisjoint(assigned([each]))
        }
        self._variables: dict[int, list[str]] = {}

    def visit_function(self) -> None:
        """The whole function; variables are found before anything is changed."""
        self._find_variables(self._tree, [])
        self._tree.body = self._block(self._tree.body)

    def _find_variables(self, node: ast.AST, around: list[ast.AST]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, INNER):
                continue
            if id(child) in self._suited:
                outermost = around[0] if around else child
                self._variables[id(child)] = variables_of(child, self._tree, outermost)
            is_loop = isinstance(child, (ast.While, ast.For))
            self._find_variables(child, [*around, child] if is_loop else around)

    def visit_Call(self, node: ast.Call):
        """What is called is exchanged; whole numbers may be tensors."""
        self.generic_visit(node)
        called = node.func
        is_plain = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
        if isinstance(called, ast.Name) and called.id == "int" and is_plain:
            return placed(node, _runner("whole", node.args))
        if (
            isinstance(called, ast.Attribute)
            and called.attr == "item"
            and not node.args
            and not node.keywords
        ):
            return placed(node, _runner("item", [called.value]))
        if not (isinstance(called, ast.Name) and called.id in _NOT_EXCHANGED):
            node.func = placed(called, _runner("callee", [called]))
        return node

    def visit_While(self, node: ast.While):
        """A loop with a condition."""
        return self._loop(node) if id(node) in self._variables else self.generic_visit(node)

    def visit_For(self, node: ast.For):
        """A loop over a range."""
        return self._loop(node) if id(node) in self._variables else self.generic_visit(node)

    def _loop(self, node: ast.While | ast.For) -> list[ast.stmt]:
        self._count += 1
        number, names = self._count, self._variables[id(node)]
        place = f"{self._file}:{node.lineno}"
        leaves, attributes = leaves_function(node.body), tuple(assigned_attributes(node.body))
        into = tuple(name for name in names if name in written(node.body))
        is_while = isinstance(node, ast.While)
        parameters = ", ".join(names if is_while else ["_mycel_item_", *names])
        test = f"def _mycel_test_{number}({parameters}):\n    return 0\n" if is_while else ""
        first = f"_mycel_test_{number}, " if is_while else f"{RUNNER}.span(), "
        kind = "while_loop" if is_while else "range_loop"
        if is_choice(node):
            test, first, kind = "", "", "choice"
        text = (
            f"{test}def _mycel_body_{number}({parameters}):\n"
            f"    return {RUNNER}.NEXT, None, locals()\n"
            f"_mycel_out_{number} = {RUNNER}.{kind}("
            f"{place!r}, {tuple(names)!r}, {into!r}, {attributes!r}, {first}"
            f"_mycel_body_{number}, locals())\n"
        )
        text += "".join(
            f"if _mycel_out_{number}.has({name!r}):\n    {name} = _mycel_out_{number}[{name!r}]\n"
            for name in names
        )
        if leaves:
            text += f"if _mycel_out_{number}.returned:\n    return _mycel_out_{number}.value\n"
        if node.orelse:
            text += f"if not _mycel_out_{number}.broken:\n    pass\n"
        return self._filled(node, parsed(text, node))

    def _filled(self, node: ast.While | ast.For, made: list[ast.stmt]) -> list[ast.stmt]:
        """The parts of a loop in the statements that take its place."""
        definitions = [each for each in made if isinstance(each, ast.FunctionDef)]
        head: list[ast.stmt] = []
        if isinstance(node, ast.While) and not is_choice(node):
            definitions[0].body[0].value = self.visit(node.test)
        elif isinstance(node, ast.For):
            call = made[len(definitions)].value
            call.args[4].args = [self.visit(each) for each in node.iter.args]
            item = ast.Name("_mycel_item_", ast.Load())
            head = [placed(node, ast.Assign([node.target], placed(node, item)))]
        ends = EndsOfTurns()
        body = [ends.visit(each) for each in self._block(node.body)]
        definitions[-1].body = [*head, *body, *definitions[-1].body]
        if node.orelse:
            made[-1].body = self._block(node.orelse)
        return made


class EndsOfTurns(ast.NodeTransformer):
    """`break`, `continue` and `return` of a turn become what its function returns."""

    def __init__(self):
        self._depth = 0

    def visit_FunctionDef(self, node: ast.AST):
        """Has returns of its own."""
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_For(self, node: ast.AST):
        """Has a `break` and `continue` of its own."""
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    visit_While = visit_For

    def visit_Break(self, node: ast.Break):
        """The loop ends."""
        return node if self._depth else _end(node, "BREAK", None)

    def visit_Continue(self, node: ast.Continue):
        """The turn ends."""
        return node if self._depth else _end(node, "NEXT", None)

    def visit_Return(self, node: ast.Return):
        """The function ends."""
        return _end(node, "RETURN", node.value)


def _end(node: ast.stmt, kind: str, value: ast.expr | None) -> ast.stmt:
    made = parsed(f"return {RUNNER}.{kind}, None, locals()", node)[0]
    if value is not None:
        made.value.elts[1] = value
    return made


def is_suited(loop: ast.While | ast.For) -> bool:
    """Whether a loop can be a call: nothing in it needs the function it stands in."""
    if any(isinstance(each, _UNSUITED) for each in ast.walk(loop)) or "super" in reads(loop):
        return False
    if any(isinstance(each, ast.Try) and each.finalbody and _leaves_a_turn(each) for each in ast.walk(loop)):
        return False  # what `finally` assigns comes after the end of the turn is made
    if isinstance(loop, ast.While):
        return not _assigns(loop.test)
    called = loop.iter
    is_range = (
        isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "range"
    )
    return is_range and not called.keywords and not any(isinstance(each, ast.Starred) for each in called.args)


def _assigns(test: ast.expr) -> bool:
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(test))


def _move_test(loop: ast.While) -> None:
    """Asks at the beginning of a turn, so that what the condition assigns is assigned in the turn."""
    leaving = parsed("if not 0:\n    break", loop)[0]
    leaving.test.operand = loop.test
    loop.body.insert(0, leaving)
    loop.test = placed(loop, ast.Constant(True))


def leaves_function(statements: list[ast.stmt]) -> bool:
    """Whether the function may end in one of the statements."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, INNER):
            waiting += ast.iter_child_nodes(node)
    return False


def _leaves_a_turn(tree: ast.AST) -> bool:
    return any(isinstance(each, (ast.Break, ast.Continue)) for each in ast.walk(tree))


def _runner(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name(RUNNER, ast.Load()), name, ast.Load()), arguments, [])


def placed(place: ast.AST, made: ast.AST) -> ast.AST:
    """New nodes stand where an old one stood."""
    for each in ast.walk(made):
        if not hasattr(each, "lineno") and "lineno" in each._attributes:
            ast.copy_location(each, place)
    return made


def parsed(text: str, place: ast.stmt) -> list[ast.stmt]:
    made = ast.parse(text).body
    for statement in made:
        for each in ast.walk(statement):
            if hasattr(each, "lineno"):
                each.lineno = each.end_lineno = place.lineno
    return made

# SPDX-License-Identifier: Apache-2.0
"""Functions whose loops are tried as a whole before they are made turn by turn.

A loop ``while test: body`` becomes

    out_1 = None
    if loops.is_open(place):
        def test_1(names): return test
        def body_1(names): body; return NEXT, None, locals()
        out_1 = loops.while_loop(place, names, attributes, test_1, body_1, locals())
    if not out_1:
        while test:
            body
            if out_1 is False:  # it may be possible now
                out_1 = loops.while_loop(..., True)
                if out_1: break
    if out_1:
        if out_1.has("name"): name = out_1["name"]
        if out_1.returned: return out_1.value

and a loop over a range the same. The code is exchanged in the function itself, so that everybody who knows
the function finds it; without a recorder, what the user wrote is what runs.
"""

from __future__ import annotations

import ast
import copy
import types

from mindspore._capture.loops.names import (
    assigned,
    assigned_attributes,
    reads,
    seen_by_functions,
    variables_of,
)
from mindspore._capture.loops.rewriting import (
    INNER,
    RUNNER,
    EndsOfTurns,
    OutsideInnerFunctions,
    compiled,
    definition,
    is_suited,
    leaves_function,
    parsed,
    placed,
)
from mindspore._capture.loops.tries import originals
from mindspore._capture.loops.whole_loops import whole_loops

_MARK = "\0mycel loops"  # stands for what the code calls
_DEEPEST = 3  # loops inside others that are tried by themselves

_made: dict[types.CodeType, types.CodeType | None] = {}  # None: it has no loop that can be tried


def exchange(function: types.FunctionType, lines: set[int]) -> bool:
    """Has loops of a function tried that stand around some lines; whether there are any."""
    code = function.__code__
    if code in originals:
        return False
    if code not in _made:
        _made[code] = _with_loops_tried(function, lines)
    made = _made[code]
    if made is None:
        return False
    originals[made] = code
    function.__code__ = made
    return True


def _with_loops_tried(function: types.FunctionType, lines: set[int]) -> types.CodeType | None:
    code, tree = function.__code__, definition(function)
    if tree is None:
        return None
    loops = _LoopsTried(tree, code.co_filename, lines)
    loops.visit_function()
    if not loops.count:
        return None
    made = compiled(_Marked().visit(tree), function, code.co_filename, ())
    if made is None or made.co_freevars != code.co_freevars:
        return None
    made = _with_runner(made)
    return made.replace(co_qualname=code.co_qualname) if hasattr(code, "co_qualname") else made


def _with_runner(code: types.CodeType) -> types.CodeType:
    """The code with what it calls."""

    def exchanged(constant):
        if isinstance(constant, types.CodeType):
            return _with_runner(constant)
        return whole_loops if type(constant) is str and constant == _MARK else constant

    return code.replace(co_consts=tuple(map(exchanged, code.co_consts)))


class _Marked(ast.NodeTransformer):
    """Puts a mark where the code names what it calls."""

    def visit_Name(self, node: ast.Name):
        return ast.copy_location(ast.Constant(_MARK), node) if node.id == RUNNER else node


class _NumbersOfTensors(ast.NodeTransformer):
    """`int(x)`, `float(x)` and `x.item()` of a recorded tensor are numbers that the graph computes."""

    def visit_FunctionDef(self, node: ast.AST):
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call):
        self.generic_visit(node)
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            return node
        called = node.func
        if isinstance(called, ast.Name) and called.id in ("int", "float") and len(node.args) == 1:
            return placed(node, _call("converted", [called, *node.args]))
        if isinstance(called, ast.Attribute) and called.attr == "item" and not node.args:
            return placed(node, _call("item", [called.value]))
        return node


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name(RUNNER, ast.Load()), name, ast.Load()), arguments, [])


class _LoopsTried(OutsideInnerFunctions):
    """Changes one function in place."""

    def __init__(self, tree: ast.FunctionDef, file: str, lines: set[int]):
        self._tree, self._file, self._depth = tree, file, 0
        self.count = 0
        self._variables: dict[tuple, list[str]] = {}  # of loops that are tried, by line and column
        self._read: dict[
            tuple, list[str]
        ] = {}  # variables that they read: what they hold may be written into
        self._seen_later: dict[tuple, set[str]] = {}  # what is used other than for computing results
        self._find(tree, [], lines)

    def _find(self, node: ast.AST, around: list[ast.AST], lines: set[int]) -> None:
        every = self._tree.args
        local = {each.arg for each in ast.walk(every) if isinstance(each, ast.arg)} | assigned(
            self._tree.body
        )
        for child in ast.iter_child_nodes(node):
            if isinstance(child, INNER):
                continue
            is_loop = isinstance(child, (ast.While, ast.For))
            if is_loop and self._is_suited(child) and _stands_around(child, lines):
                outermost = around[0] if around else child
                names = variables_of(child, self._tree, outermost)
                self._variables[_key(child)] = names
                self._read[_key(child)] = sorted((reads(child) & local) - {*names})
                self._seen_later[_key(child)] = _seen_later(self._tree, child)
            self._find(child, [*around, child] if is_loop else around, lines)

    def _is_suited(self, loop: ast.While | ast.For) -> bool:
        declared = {
            name
            for each in ast.walk(self._tree)
            if isinstance(each, (ast.Global, ast.Nonlocal))
            for name in each.names
        }
        changed = assigned([loop])
        return (
            is_suited(loop)
            and declared.isdisjoint(changed)
            and seen_by_functions(self._tree, loop).isdisjoint(changed)
            and reads(self._tree).isdisjoint(("locals", "vars", "exec", "eval"))
        )

    def visit_function(self) -> None:
        """The whole function."""
        self._tree.body = self._block(self._tree.body)

    def visit_While(self, node: ast.While):
        """A loop with a condition."""
        if _key(node) not in self._variables or self._depth >= _DEEPEST:
            return self.generic_visit(node)
        return self._tried(node)

    visit_For = visit_While

    def _tried(self, node: ast.While | ast.For) -> list[ast.stmt]:
        self.count += 1
        number, changed = self.count, self._variables[_key(node)]
        names = [*changed, *self._read[_key(node)]]
        is_while = isinstance(node, ast.While)
        place, out = f"{self._file}:{node.lineno}", f"_mycel_out_{number}"
        first = f"_mycel_test_{number}" if is_while else f"_mycel_span_{number}"
        call = (
            f"{RUNNER}.{'while_loop' if is_while else 'range_loop'}({place!r}, {tuple(names)!r}, "
            f"{tuple(assigned_attributes(node.body))!r}, %s, _mycel_body_{number}, locals()"
        )
        parameters = ", ".join(names if is_while else ["_mycel_item_", *names])
        unset = "".join(f"    if {name} is {RUNNER}.UNSET:\n        del {name}\n" for name in names)
        parts = f"def _mycel_body_{number}({parameters}):\n{unset}    return {RUNNER}.NEXT, None, locals()\n"
        if is_while:
            parts = f"def _mycel_test_{number}({parameters}):\n{unset}    return 0\n{parts}"
        attempt = parsed(f"{parts}{out} = {call % first})", node)
        self._fill(node, attempt)
        opened = parsed(f"{out} = None\nif {RUNNER}.is_open({place!r}):\n    pass", node)
        opened[1].body = attempt
        spans: list[ast.stmt] = []
        if not is_while:
            spans = parsed(f"_mycel_span_{number} = {RUNNER}.span()", node)
            spans[0].value.args = [node.iter.func, *node.iter.args]
        return [*spans, *opened, *self._turn_by_turn(node, number, call), *self._ended(node, out, changed)]

    def _fill(self, node: ast.While | ast.For, attempt: list[ast.stmt]) -> None:
        """The parts of a loop in the functions that are recorded."""
        functions = [each for each in attempt if isinstance(each, ast.FunctionDef)]
        numbers = _NumbersOfTensors()
        head: list[ast.stmt] = []
        if isinstance(node, ast.While):
            functions[0].body[-1].value = numbers.visit(copy.deepcopy(node.test))
        else:
            item = ast.Name("_mycel_item_", ast.Load())
            head = [placed(node, ast.Assign([copy.deepcopy(node.target)], placed(node, item)))]
        self._depth += 1
        inside = self._block(copy.deepcopy(node.body))
        self._depth -= 1
        ends = EndsOfTurns()
        inside = [ends.visit(numbers.visit(each)) for each in inside]
        body = functions[-1].body
        functions[-1].body = [*body[:-1], *head, *inside, body[-1]]

    def _turn_by_turn(self, node: ast.While | ast.For, number: int, call: str) -> list[ast.stmt]:
        """The loop as it was, in which it is tried once more after the first turn."""
        out, is_while = f"_mycel_out_{number}", isinstance(node, ast.While)
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        first = f"_mycel_test_{number}"
        if not is_while:
            node.iter = placed(node, _call("plain", [ast.Name(f"_mycel_span_{number}", ast.Load())]))
            is_simple = isinstance(node.target, ast.Name)
            first = f"{RUNNER}.rest(_mycel_span_{number}, {node.target.id})" if is_simple else ""
        if first:
            again = f"if {out} is False:\n    {out} = {call % first}, True)\n    if {out}:\n        break"
            node.body += parsed(again, node.body[-1])
        otherwise = parsed(f"if not {out}:\n    pass", node)
        otherwise[0].body = [node]
        return otherwise

    def _ended(self, node: ast.While | ast.For, out: str, names: list[str]) -> list[ast.stmt]:
        """What follows a loop that was recorded."""
        text = f"if {out}:\n    pass\n"
        for name in names:
            is_plain = name in self._seen_later[_key(node)]
            value = f"{out}.plain({name!r})" if is_plain else f"{out}[{name!r}]"
            text += f"    if {out}.has({name!r}):\n        {name} = {value}\n"
        if leaves_function(node.body):
            text += f"    if {out}.returned:\n        return {out}.result()\n"
        if node.orelse:
            text += f"    if not {out}.broken:\n        pass\n"
        made = parsed(text, node)
        if node.orelse:
            made[0].body[-1].body = copy.deepcopy(node.orelse)
        return made


def _key(loop: ast.AST) -> tuple[int, int]:
    return loop.lineno, loop.col_offset


def _stands_around(loop: ast.AST, lines: set[int]) -> bool:
    return any(loop.lineno <= line <= loop.end_lineno for line in lines)


_PASSED_ON = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple, ast.List)


def _seen_later(function: ast.FunctionDef, loop: ast.AST) -> set[str]:
    """Names whose values go somewhere, outside a loop, where a number has to be one: anywhere but into
    results and conditions."""
    inside = {id(each) for each in ast.walk(loop)}
    found: set[str] = set()

    def walk(node: ast.AST, is_computed: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if id(child) in inside:
                continue
            is_test = isinstance(node, (ast.If, ast.While)) and child is node.test
            is_read = isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
            if is_read and not is_computed and not is_test:
                found.add(child.id)
            walk(
                child,
                isinstance(child, ast.Return) or ((is_computed or is_test) and isinstance(child, _PASSED_ON)),
            )

    walk(function, False)
    return found

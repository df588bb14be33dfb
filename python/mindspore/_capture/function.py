# SPDX-License-Identifier: Apache-2.0
"""One captured function: replay when the call is known, otherwise run Python under a recorder."""

from __future__ import annotations

import os
import time
import weakref

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture import flow
from mindspore._capture.arguments import (
    ArgumentContainers,
    containers_in,
    content_of,
    is_as_before,
    set_content,
    with_containers,
    with_places_of,
)
from mindspore._capture.dialect import as_result, understand
from mindspore._capture.dump import write_failure
from mindspore._capture.failure import raise_undefined_name
from mindspore._capture.kept import Place
from mindspore._capture.loops.looks import Looks
from mindspore._capture.loops.tries import LoopTries, original, trying
from mindspore._capture.outside_numbers import OutsideNumbers, repeat
from mindspore._capture.printing import prints_recorded
from mindspore._capture.results import REASON, hides_tensors
from mindspore._capture.strict import forbid_effects, is_strict, look_check, refused
from mindspore._capture.ways import Ways
from mindspore.common._structure import tensors_in
from mindspore.common.mutable import check_open_lengths

_MISS, _EAGER, _PausedCall = _c.CAPTURE_MISS, _c.CAPTURE_EAGER, _c.PausedCall
_CAPTURES_BETWEEN_CHECKS = 32  # whether capturing is worth it
_PLACES_AT_MOST = 64  # outside the function that it writes
_RESTARTS_AT_MOST = 3  # of a function that changes settings of cells

every_captured: weakref.WeakSet = weakref.WeakSet()


class _Mode:
    graph = False
    strict = False  # the context's level; a Cell or function may have its own


def set_graph_mode(on: bool) -> None:
    """Says whether cells called by the user are captured."""
    _Mode.graph = on and os.environ.get("MS_JIT") != "0"


def set_strict(on: bool) -> None:
    """Says whether falling back to eager execution is an error."""
    _Mode.strict = on


def is_graph_mode() -> bool:
    """Whether cells called by the user are captured."""
    return _Mode.graph


def is_inside() -> bool:
    """Whether a call belongs to something that is being recorded already."""
    return _c.is_capturing() or _c.is_recording()


class Captured:
    """A function and the traces of its calls.

    Args:
        function (Callable): What is run.
        name (str): How messages call it.
        strict (Union[bool, None]): Falling back to eager execution is an error; None: the context decides.
        roots (tuple): Objects the function is known to use, a Cell for instance.
    """

    __slots__ = (
        "__weakref__",
        "_asks_types",
        "_differentiated",
        "_has_effects",
        "_looks",
        "_numbers",
        "_outside",
        "_places",
        "_read_keys",
        "_restarts",
        "_roots",
        "_runs_at_check",
        "_strict",
        "_tries",
        "_warned",
        "_ways",
        "cache",
        "captures",
        "function",
        "given_up",
        "is_special",
        "name",
        "reasons",
        "sizes_vary",
    )
    learns_sizes = True  # whether a run can be made again for other sizes
    takes_numbers = True  # as inputs of the graph, once they have had several values
    takes_numbers_outside = True  # the same for what stands outside of the function
    takes_shared_memory = False  # in several arguments
    gives_back = True  # lists and dicts that it is given
    writes_failures = True  # an error while it is recorded leaves a file with the graph so far

    def __init__(self, function, name: str, strict: bool | None = None, roots: tuple = ()):
        self.function, self.name = function, name
        self._strict, self._roots, self._warned = strict, roots, False
        self.cache = _c.TraceCache(name)
        self._differentiated = None  # the same function where a gradient is recorded around it
        self._read_keys: dict | None = None  # of dicts among the arguments, by position: keys that are read
        self._numbers = None  # which numbers among the arguments are inputs of the graph
        self._outside = OutsideNumbers()
        self._places: list[Place] = []
        self._ways, self._looks, self._tries = Ways(), Looks(), LoopTries()
        self._asks_types = False  # calls `type`, which no stand-in for a number can answer
        self._has_effects = False  # writes to places or to containers it is given
        self.captures = self._restarts = self._runs_at_check = 0
        self.given_up, self.is_special = "", False
        self.reasons: list[str] = []  # why calls ran eagerly
        self.sizes_vary = False  # or a function: the user has said that sizes of arguments differ

    def __call__(self, *args, **kwargs):
        if self.is_special:
            return self._call_specially(args, kwargs)
        return self.finish(self.cache(*args, **kwargs), args, kwargs)

    def finish(self, result, args: tuple, kwargs: dict):
        """The result of a call, given what the cache has answered."""
        if result is _MISS:
            return self._capture_call(args, kwargs)
        if result is _EAGER:
            return as_result(self.function(*args, **kwargs))
        if type(result) is _PausedCall:
            return self._capture(self.function, args, args, kwargs, result)
        return result

    def _call_specially(self, args: tuple, kwargs: dict):
        if self.given_up:
            return as_result(self.function(*args, **kwargs))
        if self._read_keys:
            args = self._without_unread(args)
        if self._has_effects:
            return self._call_with_effects(args, kwargs)
        if self._numbers is not None and self._numbers.places:
            return self._call_with_numbers(args, kwargs)
        return self.finish(self._replay(args, kwargs), args, kwargs)

    def _note_what_is_special(self) -> None:
        """Calls give the cache more, or less, than their arguments."""
        self.is_special = bool(
            self.given_up
            or self._has_effects
            or self._read_keys
            or (self._numbers is not None and self._numbers.places)
            or self._outside.places
        )

    def _forget(self) -> None:
        """Nothing that was captured is good any more."""
        self.cache.clear()
        self._note_what_is_special()

    def _replay(self, args: tuple, kwargs: dict):
        """What a known trace gives, or why none does; numbers outside go in, and come out changed."""
        places = self._outside.places
        if not places:
            return self.cache(*args, **kwargs)
        given = self._outside.given()
        if given is None:  # something else than a number stands there now
            self._forget()
            return _MISS
        result = self.cache(given, *args, **kwargs)
        if result is _MISS or result is _EAGER or type(result) is _PausedCall:
            return result
        value, left = result
        repeat(places, left)
        return value

    def _capture_call(self, args: tuple, kwargs: dict):
        """A call of a new kind; if numbers have made many kinds, they become inputs first."""
        if self._read_keys is None and any(type(value) is dict for value in args):
            self._read_keys = self._find_read_keys(args)
            self._note_what_is_special()
            if self._read_keys:
                return self(*args, **kwargs)
        if (
            self.takes_numbers
            and not self._asks_types
            and any(isinstance(value, (int, float)) for value in (*args, *kwargs.values()))
        ):
            from mindspore._capture.numbers import NumberArguments

            self._numbers = self._numbers or NumberArguments(self._code())
            self._numbers.note(args, kwargs)
            if not self.reasons and all(entry["segments"] <= 1 for entry in self.report()):
                self._numbers.choose()
            if self._numbers.places:
                return self._call_with_numbers(args, kwargs)
        return self._capture(self.function, args, args, kwargs)

    def _call_with_numbers(self, args: tuple, kwargs: dict):
        """A call whose numbers go in as tensors."""
        given = self._numbers.given(args, kwargs)
        key = ("numbers", *map(str, self._numbers.places))
        result = self._replay(*((args, kwargs) if given is None else ((key, *given[0]), given[1])))
        if result is _EAGER:
            return as_result(self.function(*args, **kwargs))
        paused = result if type(result) is _PausedCall else None
        if result is not _MISS and paused is None:
            return result
        if given is None:
            return self._capture(self.function, args, args, kwargs, paused)
        return self._capture_with_numbers(key, args, kwargs, given, paused)

    def _capture_with_numbers(self, key: tuple, args: tuple, kwargs: dict, given: tuple, paused):
        from mindspore._capture.numbers import NumberTrial

        trial = NumberTrial(self.function, self._numbers.places, args, kwargs)
        try:
            return self._capture(trial.run, args, (key, *given[0]), given[1], paused)
        finally:
            places = trial.places_used_as_numbers()
            if places:
                self._numbers.keep_by_value(places)
                self._forget()

    def _find_read_keys(self, args: tuple) -> dict:
        """For dicts of which the function only reads certain entries, which; others do not matter to it."""
        code, before = self._code()
        if code is None or self._roots:
            return {}
        found = {}
        for place, value in enumerate(args):
            if type(value) is dict and place + before < code.co_argcount:
                found[place] = flow.keys_read(code, code.co_varnames[place + before])
        return {place: keys for place, keys in found.items() if keys is not None}

    def _without_unread(self, args: tuple) -> tuple:
        """The arguments without entries that the function does not read."""
        reduced = list(args)
        for place, keys in self._read_keys.items():
            value = args[place] if place < len(args) else None
            if type(value) is dict and not value.keys() <= keys:
                reduced[place] = {key: part for key, part in value.items() if key in keys}
        return tuple(reduced)

    def _code(self):
        """The code that is given the arguments, and how many of its parameters come before them."""
        function = self.function
        cell = self._roots[0]() if self._roots and isinstance(self._roots[0], weakref.ref) else None
        if cell is not None:
            function = cell.construct
        bound = hasattr(function, "__self__")
        function = getattr(function, "__func__", function)
        code = getattr(function, "__code__", None)
        return code and original(code), int(bound)

    def inside_gradient(self, args: tuple, kwargs: dict):
        """A call that a gradient, recorded eagerly around it, has to see."""
        if self._differentiated is None:
            from mindspore._capture.differentiated import Differentiated

            self._differentiated = Differentiated(self.function, self.name, self._strict, self._roots)
        return self._differentiated(*args, **kwargs)

    def run_stream(self, stream, steps: int) -> tuple[int, object]:
        """Calls the function for rows of a stream, in C++ as long as nothing new turns up.

        Returns:
            The number of calls, fewer than `steps` at the end of an epoch, and the last one's result.
        """
        done, result = 0, None
        while done < steps:
            taken, value, row, paused = self.cache.run_stream(stream, steps - done)
            if taken:
                done, result = done + taken, value
            if row is None:
                break
            row = tuple(row)
            result = self(*row) if paused is None else self._capture(self.function, row, row, {}, paused)
            done += 1
        return done, result

    def _call_with_effects(self, args: tuple, kwargs: dict):
        """A call of a function that writes outside itself: what stands there goes in and comes out."""
        standing = tuple(place.given() for place in self._places)
        for place, value in zip(self._places, standing, strict=True):
            if place.is_restless(value):
                if self.takes_numbers and self._outside.add_restless(place):
                    self._places.remove(place)
                    self.cache.clear()
                    return self(*args, **kwargs)
                self._give_up(f"it changes {place.what}, which is something else in every call")
                return as_result(self.function(*args, **kwargs))
        result = self._replay((standing, *args), kwargs)
        if result is _EAGER:
            return as_result(self.function(*args, **kwargs))
        if result is _MISS or type(result) is _PausedCall:
            return self._capture_with_effects(standing, args, kwargs, None if result is _MISS else result)
        value, left, contents = result
        for place, one in zip(self._places, left, strict=True):
            place.repeat(one)
        given = containers_in((args, tuple(kwargs.values())))
        for i, content in contents.items():
            set_content(given[i], with_containers(given, content))
        return with_containers(given, value) if given else value

    def _capture_with_effects(self, standing: tuple, args: tuple, kwargs: dict, paused):
        assigned = [(i, place) for i, place in enumerate(self._places) if not place.is_counter]
        value, left, _ = self._capture(self._run_with_effects, args, (standing, *args), kwargs, paused)
        for i, place in assigned:
            place.put(left[i])  # the objects that stood there, not stand-ins
        return with_containers(containers_in((args, tuple(kwargs.values()))), value)

    def _run_with_effects(self, standing: tuple, *args, **kwargs):
        """(result, what is left in the places, content of containers that were changed by their number)."""
        places = tuple(self._places)
        for place, value in zip(places, standing, strict=True):
            if not place.is_counter:
                place.put(value)
        before = [place.get() for place in places]
        containers = containers_in((args, tuple(kwargs.values())))
        contents = [content_of(one) for one in containers]
        value = as_result(self.function(*args, **kwargs))
        left = tuple(place.left_since(one) for place, one in zip(places, before, strict=True))
        pairs = enumerate(zip(containers, contents, strict=True))
        changed = {i: content_of(now) for i, (now, then) in pairs if not is_as_before(now, then)}
        if self.gives_back and containers:
            value, changed = with_places_of(containers, value), with_places_of(containers, changed)
        return value, left, changed

    def _capture(self, run, users_args: tuple, args: tuple, kwargs: dict, paused=None):
        lays_out = bool(self._outside.places)
        if lays_out and not self._outside.may_begin():
            return as_result(run(*args, **kwargs))  # another thread is about to find out about such numbers
        try:
            return self._run_under_recorder(run, users_args, args, kwargs, paused)
        finally:
            if lays_out:
                self._outside.end()
            self._note_what_is_special()

    def _run_under_recorder(self, run, users_args: tuple, args: tuple, kwargs: dict, paused):
        from mindspore._capture.sizes import learn
        from mindspore._capture.surroundings import watch

        if not self.captures:
            every_captured.add(self)
            understand(self.function, self._roots)
        check_open_lengths((users_args, tuple(kwargs.values())))
        numbers_given = self._outside.given() if self._outside.places else None
        outside = None if numbers_given is None else self._outside
        all_args = args if outside is None else (numbers_given, *args)
        session = self.cache.begin(all_args, kwargs, paused)
        if session is None:
            self._tell("an argument is a NumPy array, whose content may change unseen; pass a Tensor")
            return as_result(run(*args, **kwargs))
        if paused is None and not self.takes_shared_memory and self._share_memory(users_args, kwargs):
            session.discard()
            # A gradient inside would have to know what a write through one does to the other.
            self._tell("two of its arguments share memory; pass a copy() of one")
            return as_result(run(*args, **kwargs))
        self.captures += 1
        begun = time.perf_counter()
        hidden = len(all_args) - len(users_args)
        containers = ArgumentContainers((users_args, kwargs), (session.arguments[hidden:], session.keywords))
        self._begun(session)
        self._watch_looks(session)
        try:
            numbers = None if outside is None else outside.begin(session, session.arguments[0])
            surroundings = watch(
                session, self.function, self._roots, self._places, numbers, (users_args, kwargs)
            )
            with prints_recorded(session), trying(self._tries), surroundings:
                if outside is None:
                    result = as_result(run(*session.arguments, **session.keywords))
                else:
                    result = as_result(numbers.run(run, session.arguments[1:], session.keywords))
        except BaseException as error:
            starts_over = session.can_start_over and isinstance(error, Exception)  # not after Ctrl-C
            if numbers is not None and (starts_over or not numbers.has_ended()):
                numbers.undo()
            if starts_over:
                self._start_over_eagerly(session)
                # Fails at the mistake, or goes on where the error is caught.
                return as_result(run(*args, **kwargs))
            if self.writes_failures:
                write_failure(self.name, session, error)
            session.fail()
            containers.hand_back()
            session = surroundings = None  # the error's traceback keeps this frame
            raise_undefined_name(error)
            raise
        made, gives_back = result, containers.are_in(result)
        effects = self._objections(surroundings, containers, numbers)
        if session.is_active and hides_tensors(result, surroundings.was_there):
            session.abandon(REASON)
        recorded = time.perf_counter()
        result = self._finished(session, result, surroundings.was_there)
        finished = time.perf_counter()
        result = containers.in_place_of_copies(made, result, surroundings.was_there)
        is_handed_back = containers.hand_back()
        result = self._without_loop_numbers(session, result)
        if self._tries.settle() or self._looks.have_loops_tried():
            self._capture_anew(outside, numbers)
            return result if outside is None else result[0]
        is_whole = self._conclude(session, surroundings, effects, is_handed_back, gives_back)
        if outside is not None:
            result, is_whole = result[0], False
            if outside.conclude(numbers):
                self.cache.clear()
        if self.takes_numbers_outside and self._outside.note(
            surroundings.numbers(), surroundings.computes_with
        ):
            self.cache.clear()
        if not session.refusal:
            self._tell_times(begun, recorded, finished)
        if self.learns_sizes and is_whole and run == self.function:
            at_once = self.sizes_vary() if callable(self.sizes_vary) else self.sizes_vary
            learn(self.cache, run, self._roots, args, kwargs, at_once, surroundings.was_there)
        self._give_up_if_useless(session)
        return result

    def _watch_looks(self, session) -> None:
        """A run is told of the looks it takes, and how many it may."""
        if self._is_strict():
            session.check_looks(look_check(self.name))
        session.note_growth(self._looks.note)
        if not self._ways.may_record(self.cache.runs, session.segments):
            session.follow_only()

    def _capture_anew(self, outside, numbers) -> None:
        """Loops are recorded in another way from now on."""
        self.cache.clear()
        self._ways = Ways()
        if outside is not None:
            outside.conclude(numbers)

    def _start_over_eagerly(self, session) -> None:
        """Nothing of a run has happened; loops that were recorded whole may be why it cannot go on."""
        session.discard()
        if self._tries.have_been_made:
            self._tries.end()
            self.cache.clear()

    def _without_loop_numbers(self, session, result):
        """The result of a run; of one that was not recorded to its end, with numbers that Python knows."""
        if not self._tries.have_been_made or not (session.refusal or session.has_left):
            return result
        from mindspore._capture.loops.loop_number import without_loop_numbers

        return without_loop_numbers(result)

    @staticmethod
    def _objections(surroundings, containers, numbers):
        """What a run has done, and why a replay could not do the same."""
        effects = surroundings.settle()
        reasons = [effects.problem]
        if containers.hand_back_attributes():
            reasons.append(
                "it sets attributes of a tensor it is given, which a compiled function would not repeat"
            )
        if containers.has_reshaped_tensors():
            reasons.append("a tensor it is given gets another shape or type")
        if numbers is not None and not all(map(surroundings.assigns, numbers.assigned)):
            numbers.is_disturbed = True
            reasons.append("a number outside that it uses is assigned while it runs")
        return effects._replace(problem=next(filter(None, reasons), None))

    @staticmethod
    def _share_memory(args: tuple, kwargs: dict) -> bool:
        return _c.share_memory([tensor for tensor in tensors_in((args, kwargs)) if tensor._has_data()])

    def _tell_times(self, begun: float, recorded: float, finished: float) -> None:
        logger.info(
            "'%s' is captured, the %d. kind of call: recorded in %.1f ms, compiled and run in %.1f ms.",
            self.name,
            self.captures,
            (recorded - begun) * 1e3,
            (finished - recorded) * 1e3,
        )

    def _conclude(self, session, surroundings, effects, handed_back: bool, gives_back: bool) -> bool:
        """Decides what becomes of a run that has come to its end; whether its trace does all that it did."""
        if session.has_left:
            if self._is_strict():
                self._forbid(effects)
            return False
        problem = effects.problem or self._objection(effects.written, handed_back)
        if gives_back and (self._has_effects or not self.gives_back):
            problem = problem or "it returns a list or dict that it is given"
        incomplete = (handed_back or gives_back) and not self._has_effects
        incomplete = surroundings.looked_at_a_counter() or incomplete or effects.written or effects.passing
        if effects.passing is not None and self._restarts >= _RESTARTS_AT_MOST:
            problem = problem or f"{effects.passing} in every call"
        if problem is not None:
            session.refuse(problem)
        elif incomplete and not session.refusal:
            if self._is_strict():
                self.cache.clear()
                forbid_effects(self.name, effects)
            self._start_over(effects)
        self._asks_types = self._asks_types or surroundings.has_named("type")
        if session.refusal:
            self._tell(session.refusal)
        return not (session.refusal or incomplete or self._has_effects)

    def _forbid(self, effects) -> None:
        """What a run of a strict function must not do, though it is not recorded."""
        if effects.problem is not None:
            raise refused(self.name, effects.problem)
        forbid_effects(self.name, effects)

    def _begun(self, session) -> None:
        """A run under a recorder is about to begin."""

    def _finished(self, session, result, was_there):
        """The result of a run, now computed."""
        return session.finish(result, was_there)

    def _objection(self, written: list[Place], containers_changed: bool) -> str | None:
        """Why a run that has written these places is not to be repeated."""

    def rehearse(self, args: tuple, kwargs: dict) -> None:
        """Runs the function under a recorder and forgets what it did: shapes and types are seen to fit."""
        from mindspore._capture.surroundings import watch

        session = self.cache.begin(args, kwargs)
        if session is None:
            return
        try:
            surroundings = watch(session, self.function, self._roots, [], None, (args, kwargs))
            with prints_recorded(session), surroundings:
                self.function(*session.arguments, **session.keywords)
        except Exception as error:
            write_failure(self.name, session, error)
            raise_undefined_name(error)
            raise
        finally:
            session.discard()
            session = None  # an error's traceback keeps this frame

    def _start_over(self, effects) -> None:
        """The run was right, but its trace does not do all that it did; later ones can know better."""
        self.cache.clear()
        self._has_effects = True
        self._restarts += effects.passing is not None
        self._places = self._places + effects.written
        if len(self._places) > _PLACES_AT_MOST:
            self._give_up(f"it changes {self._places[-1].what}, and something else in every call")

    def _give_up_if_useless(self, session) -> None:
        """Stops capturing a function whose calls hardly ever repeat."""
        line, runs = session.new_way, self.cache.runs
        if line:
            self._ways.note(line, session.has_left)
            if self._ways.are_useless(runs):
                self._give_up(self._ways.reason(), is_allowed=True)
            return
        kinds = self.captures - self._ways.seen
        if kinds % _CAPTURES_BETWEEN_CHECKS:
            return
        if runs < self._runs_at_check + _CAPTURES_BETWEEN_CHECKS // 4:
            self._give_up(
                f"it was captured {kinds} times because arguments or what it uses differ from call "
                "to call; see mindspore._capture.explain()",
                is_allowed=True,
            )
        self._runs_at_check = runs

    def _give_up(self, reason: str, is_allowed: bool = False) -> None:
        self.given_up = reason
        self._forget()
        self._tell(reason, is_allowed)

    def _is_strict(self) -> bool:
        """The environment decides before the function's own setting, and that before the context's."""
        level = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
        if level:
            return level == "0"
        return _Mode.strict if self._strict is None else self._strict

    def _tell(self, reason: str, is_allowed: bool = False) -> None:
        """Says why calls run eagerly; an error in strict functions unless that is allowed there."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            if self._warned:
                logger.info("'%s' also runs like PyNative mode because %s.", self.name, reason)
        if self._is_strict() and not is_allowed:
            self.given_up = ""
            self._forget()  # another call is refused in the same way
            raise refused(self.name, reason)
        if not self._warned:
            self._warned = True
            logger.warning("'%s' is not compiled and runs like PyNative mode: %s.", self.name, reason)

    def about_ways(self) -> str:
        """What became of calls that went a new way and were not recorded; empty: there were none."""
        if not self._ways.eager or self.given_up:
            return ""
        return f"{self._ways.describe()}; {self._ways.eager} of these ran eagerly from there on"

    def report(self) -> list[dict]:
        """What is known about each kind of call."""
        return self.cache.report()

    def recipes(self) -> list[dict]:
        """What was learnt about calls that differ in sizes alone."""
        return self.cache.recipes()

    def texts(self) -> list[str]:
        """The compiled graphs as text."""
        return self.cache.texts()


def call_cell(cell, args: tuple, kwargs: dict):
    """A call of a Cell by the user in graph mode, outside of any capture."""
    if not _c.is_recording():
        return captured_cell(cell)(*args, **kwargs)
    from mindspore._capture.differentiated import runs_eagerly

    if runs_eagerly():
        return cell._cell_run(*args, **kwargs)
    return captured_cell(cell).inside_gradient(args, kwargs)


def rehearse_cell(cell, args: tuple, kwargs: dict) -> None:
    """What a call of a Cell would complain about before anything is computed."""
    Captured(cell._cell_run, type(cell).__name__, False, (weakref.ref(cell),)).rehearse(args, kwargs)


def captured_cell(cell) -> Captured:
    """What runs a Cell in graph mode."""
    captured = cell.__dict__.get("_captured")
    if captured is None:
        from mindspore._capture.sizes import leaves_sizes_open

        owner = weakref.ref(cell)

        def run(*arguments, **keywords):
            return owner()._cell_run(*arguments, **keywords)

        captured = Captured(run, type(cell).__name__, is_strict(cell._jit_config_dict), (owner,))
        captured.sizes_vary = lambda: leaves_sizes_open(owner()._cell_inputs)
        cell.__dict__["_captured"] = captured
    return captured

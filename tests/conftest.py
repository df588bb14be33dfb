# SPDX-License-Identifier: Apache-2.0
"""Settings all Python tests share."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal

import pytest

faulthandler.enable()  # a crash in native code says which test it was
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell's background jobs ignore Ctrl-C, and so would every process that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _graphs_elsewhere(tmp_path_factory):
    """Graphs of compilations that fail are not written into the current folder."""
    os.environ["MS_OM_PATH"] = str(tmp_path_factory.mktemp("om"))


@pytest.fixture(autouse=True)
def _own_random_state():
    """Every test starts from the same generator state, whatever ran before it."""
    from mindspore import _c_expression

    _c_expression.set_global_seed(20_23)
    yield
    _c_expression.clear_global_seed()


# A device finds out late that a value is out of range, if it does at all: not while the operator is called.
ERRORS_OF_VALUES = (
    "test_loop_nodes.py::test_an_error_names_the_line_and_the_turn",
    "test_loop_nodes.py::test_an_error_in_a_loop_of_a_turn_names_both_turns",
    "test_node_origins.py::test_an_error_while_a_graph_runs_names_the_cell",
    "test_branch_gradients.py::test_an_error_on_a_side_names_the_line_and_the_turn",
    "test_layers.py::test_loss_errors",
    "test_losses.py::test_errors[<lambda>-IndexError-every label]",
    "test_losses.py::test_ctc_primitive_refuses_a_blank_in_front_of_a_label",
    "test_recurrent.py::test_bad_calls",
)


def pytest_collection_modifyitems(items):
    """Leaves out what cannot be so on another device than the CPU."""
    if not os.environ.get("MYCEL_TEST_DEVICE"):
        return
    for item in items:
        if item.nodeid.endswith(ERRORS_OF_VALUES):
            item.add_marker(pytest.mark.skip(reason="the error comes late"))


@pytest.fixture(autouse=True)
def _device_of_the_tests():
    """``MYCEL_TEST_DEVICE=Simulated`` runs tests on that device instead of the CPU."""
    target = os.environ.get("MYCEL_TEST_DEVICE", "")
    if not target:
        yield
        return
    import mindspore
    from mindspore import _c_expression

    _c_expression.load_plugin(f"libmindspore_backend_{target.lower()}.so")
    mindspore.set_context(device_target=target)
    yield
    for _ in range(16):  # work that was to fail: the next test shall not meet its errors
        with contextlib.suppress(Exception):
            mindspore.hal.synchronize()
            break


@pytest.fixture
def unnoticed_key():
    """Gives, for an encrypted piece without a tag, a wrong key whose noise ends like proper padding."""
    from mindspore import _c_expression as _c

    def search(piece: bytes, mode: str) -> bytes:
        keys = (f"{number:016d}".encode() for number in range(1, 1 << 16))
        return next(key for key in keys if _c.decrypt_envelope(piece, key, mode) is not None)

    return search


class BothModes:
    """Runs a function in PyNative mode and, recorded and replayed, in Graph mode: both must agree exactly."""

    CALLS = 2  # the first records, the second replays

    def __call__(self, function, *arguments):
        """What the function gives."""
        return self._agreed(function, lambda: self._compiled(function), arguments)

    def gradient(self, function, *arguments):
        """Its gradient with respect to the first argument."""
        import mindspore

        return self._agreed(
            mindspore.grad(function), lambda: self._compiled(mindspore.grad(function)), arguments
        )

    def refuse(self, error, function, *arguments, match: str | None = None):
        """It fails with `error` in either mode."""
        for run in (function, self._compiled(function)):
            with pytest.raises(error, match=match):
                run(*arguments)

    @staticmethod
    def _compiled(function):
        import mindspore

        return mindspore.jit(lambda *given: function(*given))

    def _agreed(self, function, make_compiled, arguments):
        wanted, compiled = function(*arguments), make_compiled()
        for _ in range(self.CALLS):
            _require_equal(compiled(*arguments), wanted)
        return wanted


def _require_equal(got, wanted) -> None:
    import numpy as np

    from mindspore import Tensor

    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            _require_equal(one, other)
    elif isinstance(wanted, Tensor):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())
    else:
        assert got == wanted


@pytest.fixture
def both_modes() -> BothModes:
    """Runs functions in PyNative and in Graph mode."""
    return BothModes()

# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM while a server runs: it drains, then the process ends."""

import signal
import threading

_USUAL = (signal.SIG_DFL, signal.default_int_handler)


def _is_ending(frame):
    """The script has come to its end: the interpreter waits for the server's thread."""
    while frame is not None:
        if frame.f_code.co_name == "_shutdown" and frame.f_globals.get("__name__") == "threading":
            return True
        frame = frame.f_back
    return False


def take_signals(stop):
    """Calls `stop` on SIGINT and SIGTERM, unless the program handles them itself."""
    if threading.current_thread() is not threading.main_thread():
        return

    def on_signal(number, frame):
        signal.signal(number, signal.SIG_IGN)
        stop()
        signal.signal(number, old[number])
        if _is_ending(frame):
            return
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(0)

    old = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in old.items():
        if handler in _USUAL:
            signal.signal(number, on_signal)

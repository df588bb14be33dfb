# SPDX-License-Identifier: Apache-2.0
"""How long the compute threads stay awake for more work."""

import os
from contextlib import contextmanager

# Looks at a flag before a thread sleeps: some 50 microseconds, more than passes between two operators of a
# network. OpenMP's own 300,000 are several milliseconds, in which a waiting thread keeps its core from the
# one it waits for as soon as other programs, or the data pipeline, use the machine too: steps then take up to
# fifty times as long. On an idle machine both are equally fast.
_LOOKS = "2000"


@contextmanager
def stays_awake_briefly():
    """For the import of the library, which reads this setting once; what the user has set counts."""
    is_set = "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ
    if not is_set:
        os.environ["GOMP_SPINCOUNT"] = _LOOKS
    try:
        yield
    finally:
        if not is_set:
            del os.environ["GOMP_SPINCOUNT"]

# SPDX-License-Identifier: Apache-2.0
"""Tests of other folders on the simulated device, where a missing copy or wait shows.

Each runs in a process of its own, since the device is chosen for a whole process. Any other test can be run
the same way: ``MYCEL_TEST_DEVICE=Simulated MYCEL_POISON_MEMORY=1 python -m pytest tests/...``.
"""

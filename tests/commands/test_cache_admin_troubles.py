# SPDX-License-Identifier: Apache-2.0
"""`cache_admin` where something is wrong: servers that are dying or hang, disks, folders and other users."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time

import pytest
from test_cache_admin import ADMIN, UNREACHABLE, Place, is_gone, place

__all__ = ["place"]  # a fixture

PORT = 50052
NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting and becoming another user take root")


@contextlib.contextmanager
def small_disk(folder: pathlib.Path, *options: str):
    """A file system of 4 MB."""
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", ",".join(("size=4m", *options)), "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def all_may_pass(folder: pathlib.Path) -> None:
    """Lets other users reach the folder."""
    for parent in (folder, *list(folder.parents)[:-2]):
        parent.chmod(parent.stat().st_mode | 0o055)


def as_nobody(folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    """The command as another user calls it."""
    environment = {"MYCEL_CACHE_DIR": str(folder), "PATH": "/usr/bin:/bin"}
    try:
        return subprocess.run(
            [str(ADMIN), *words],
            env=environment,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=120,
        )
    except PermissionError:
        pytest.skip("other users cannot reach the package")


def test_a_start_right_after_a_kill(place):
    for _ in range(30):
        os.kill(place.start(), signal.SIGKILL)  # it still holds its lock for a moment
    place.start()
    place.good("-g")


def test_a_start_while_a_server_ends(place):
    for _ in range(5):
        os.kill(place.start(), signal.SIGTERM)
    place.start()
    place.good("-g")


def test_a_start_beside_a_hung_server_says_how_to_end_it(place):
    pid = place.start()
    os.kill(pid, signal.SIGSTOP)
    assert place.bad("--start") == (
        "Duplicate key. Cache server is already up and running, but does not answer. "
        "End it with 'cache_admin --stop -p 50052'.\n"
    )
    place.good("--stop")
    place.start()


def test_a_hung_server_that_is_killed_does_not_hold_up_a_start(place):
    pid = place.start()
    os.kill(pid, signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    begin = time.monotonic()
    assert place.start() != pid
    assert time.monotonic() - begin < 5


def test_two_stops_at_once(place):
    place.start()
    stops = [
        subprocess.Popen([str(ADMIN), "--stop"], env=place.environment, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=60)[1] for process in stops]
    assert 0 in [process.returncode for process in stops], said
    for process, errors in zip(stops, said, strict=True):
        assert process.returncode == 0 or "is not reachable or has been shutdown already" in errors
    assert place.left() == set()


def test_starts_and_stops_at_once_leave_a_server_that_answers_or_none(place):
    for _ in range(5):
        commands = [
            subprocess.Popen(
                [str(ADMIN), word],
                env=place.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for word in ("--start", "--stop", "--start", "--stop")
        ]
        for process in commands:
            process.communicate(timeout=60)
        if place.admin("--start").returncode == 0:
            place.good("-g")
        place.good("--stop")
        assert place.left() == set()


def test_a_lock_file_that_cannot_be_used_is_named(place):
    place.start()
    place.good("--stop")
    lock = place.user_folder() / "cache_server_p50052.lock"
    lock.mkdir()
    assert place.bad("--start") == (
        f"Unexpected error. the lock file '{lock}' cannot be used: Is a directory\n"
    )
    lock.rmdir()


@as_root
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        here = Place(disk / "servers")
        here.start()
        here.good("--stop")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        said = here.bad("--start")
        assert said.startswith("Unexpected error. there is no folder for the cache server: ")
        assert f"'{here.user_folder()}': Read-only file system" in said
        assert "Set MYCEL_CACHE_DIR to a folder of your own." in said


@as_root
def test_a_folder_that_turns_read_only_does_not_disturb_a_running_server(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        here = Place(disk / "servers")
        pid = here.start()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], capture_output=True)
        here.good("-g")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        here.good("--stop")
        assert is_gone(pid)


@as_root
def test_a_spill_folder_that_cannot_be_written_to_is_named(place, tmp_path):
    with small_disk(tmp_path / "disk", "ro") as disk:
        said = place.bad("--start", "-s", str(disk)).split("\n")
        assert said[0] == "Unexpected error. Spilling directory is not writable"
        assert said[1].startswith(f"Unable to create directory {disk}/")
        assert said[1].endswith(". Errno = 30 (Read-only file system)")
        assert place.left() == set()


@as_root
def test_a_full_disk_does_not_stop_a_start(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        here = Place(disk / "servers")
        here.start()
        with contextlib.suppress(OSError), open(disk / "rest", "wb", buffering=0) as file:
            while file.write(bytes(4096)) == 4096:
                pass
        here.good("-g")
        here.good("--stop")
        done = here.admin("--start")  # the lock says who holds it, which takes a few bytes
        assert done.returncode == 0 or "No space left on device" in done.stderr
        (disk / "rest").unlink()
        if done.returncode == 0:
            here.good("--stop")
        here.start()
        here.good("--stop")


@as_root
def test_users_have_servers_of_their_own_on_the_same_port(tmp_path):
    folder = tmp_path / "servers"
    folder.mkdir()
    all_may_pass(folder)
    folder.chmod(0o1777)
    here = Place(folder)
    pid = here.start()
    try:
        assert UNREACHABLE.format(PORT) in as_nobody(folder, "-g").stderr
        assert "is not reachable" in as_nobody(folder, "--stop").stderr
        done = as_nobody(folder, "--start")
        assert done.returncode == 0, done
        assert as_nobody(folder, "-g").returncode == 0
        # Each finds the own one, and ends the own one.
        assert "No active sessions." in here.good("--server_info")
        assert as_nobody(folder, "--stop").returncode == 0
        here.good("-g")
        assert not is_gone(pid, 0.1)
    finally:
        as_nobody(folder, "--stop")
        here.good("--stop")


@as_root
def test_leftovers_of_another_user_are_never_in_the_way(tmp_path):
    folder = tmp_path / "servers"
    folder.mkdir()
    all_may_pass(folder)
    folder.chmod(0o1777)
    nobody = as_nobody(folder, "--start")
    assert nobody.returncode == 0, nobody
    lock = next(folder.glob("*/cache_server_p50052.lock"))
    os.kill(int(lock.read_text().split()[1]), signal.SIGKILL)
    here = Place(folder)
    pid = here.start()
    here.good("-g")
    os.kill(pid, signal.SIGKILL)
    assert as_nobody(folder, "--start").returncode == 0
    assert as_nobody(folder, "--stop").returncode == 0


@as_root
def test_the_folder_of_another_user_is_not_used(tmp_path):
    folder = tmp_path / "servers"
    here = Place(folder)
    here.start()
    here.good("--stop")
    all_may_pass(folder)
    own = here.user_folder()
    folder.chmod(0o1777)
    os.chown(own, NOBODY, NOBODY)
    said = here.bad("--start")
    assert f"'{own}': it belongs to another user" in said
    os.chown(own, 0, 0)
    own.chmod(stat.S_IMODE(0o777))
    here.start()
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    here.good("--stop")


def test_a_folder_that_is_removed_is_made_again(place):
    pid = place.start()
    shutil.rmtree(place.user_folder())
    assert UNREACHABLE.format(PORT) in place.bad("-g")
    place.start()  # the lock is gone with the folder, so this is a server of its own
    place.good("-g")
    assert is_gone(pid, 5)
    place.good("-g")
    place.good("--stop")
    assert place.left() == set()


def test_the_daemon_keeps_nothing_open_of_whoever_starts_it(place, tmp_path):
    reader, writer = os.pipe()
    with open(tmp_path / "file", "w") as file:
        done = subprocess.run(
            [str(ADMIN), "--start"],
            env=place.environment,
            pass_fds=(writer, file.fileno()),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done
        os.close(writer)
        os.set_blocking(reader, False)
        assert os.read(reader, 1) == b"", "the pipe is still open"
        os.close(reader)
    pid = int((place.user_folder() / "cache_server_p50052.lock").read_text().split()[1])
    opened = [os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    assert str(tmp_path / "file") not in opened

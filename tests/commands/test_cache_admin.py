# SPDX-License-Identifier: Apache-2.0
"""`cache_admin`: every command and option, what it prints, its exit status, and what is left of servers."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

import pytest

PACKAGE = pathlib.Path(importlib.util.find_spec("mindspore").submodule_search_locations[0])
ADMIN = PACKAGE / "bin" / "cache_admin"
COMMAND = pathlib.Path(__file__).parents[2] / "python" / "commands" / "cache_command.py"
HINT = "Please try `cache_admin --help` for more information"
MOST_WORKERS = max(os.cpu_count(), 100)
UNREACHABLE = "Network error. Cache server with port {} is unreachable. Make sure the server is running"


class Place:
    """A folder of cache servers, and the command as a user of it."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.environment = {"MYCEL_CACHE_DIR": str(folder), "PATH": "/usr/bin:/bin"}

    def admin(self, *words: str, **more) -> subprocess.CompletedProcess:
        """Runs `cache_admin` in an environment with nothing else in it."""
        environment = {**self.environment, **more}
        return subprocess.run(
            [str(ADMIN), *words], env=environment, capture_output=True, text=True, timeout=120
        )

    def good(self, *words: str, **more) -> str:
        """Runs a command that has to succeed; what it printed."""
        done = self.admin(*words, **more)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def bad(self, *words: str, **more) -> str:
        """Runs a command that has to fail; what it said."""
        done = self.admin(*words, **more)
        assert done.returncode == 1, done
        return done.stderr

    def start(self, *words: str) -> int:
        """Starts a server; its process."""
        return int(re.search(r"process id (\d+) and", self.good("--start", *words)).group(1))

    def user_folder(self) -> pathlib.Path:
        return next(path for path in self.folder.iterdir() if path.is_dir())

    def left(self) -> set[str]:
        """Files of servers that are there, without their logs."""
        return {path.name for path in self.user_folder().iterdir()} - {"cache"}


@pytest.fixture
def place(tmp_path):
    """A folder of servers; those that are still running afterwards are ended."""
    here = Place(tmp_path / "servers")
    yield here
    for lock in (tmp_path / "servers").glob("*/*.lock"):
        with contextlib.suppress(ProcessLookupError, IndexError, ValueError):
            os.kill(int(lock.read_text().split()[1]), signal.SIGKILL)


def is_gone(pid: int, seconds: float = 10) -> bool:
    """Whether the process ends in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "50052"], f"No command provided\n{HINT}"),
        (["--start", "--stop"], "Only one command at a time is allowed.  Invalid command: --stop"),
        (["-g", "--server_info"], "Only one command at a time is allowed.  Invalid command: --server_info"),
        (["--start", "-p", "50055", "--port", "50056"], "The --port argument was given more than once."),
        (["--start", "--start"], "The --start argument was given more than once."),
        *(
            (["--start", option], f"{option} option requires an argument field.  Syntax: {option} <field>")
            for option in ("-p", "-s", "-w", "-l", "-h", "-m", "-r", "--port", "--spilldir", "--workers")
        ),
        (["-d"], "-d option requires an argument field.  Syntax: -d <field>"),
        (["-d", "illegal"], "-d option requires an argument field.  Syntax: -d <field>"),
        (["-d", "12ab"], f"Invalid arguments provided:  ab\n{HINT}"),
        *(
            (["--start", option, "abc"], "Invalid numeric value: abc")
            for option in ("-p", "-w", "-l", "-m", "-r")
        ),
        (["--start", "-p", "-w", "3"], "Invalid numeric value: -w"),
        (["--not_exist_cmd"], f"Invalid arguments provided:  --not_exist_cmd\n{HINT}"),
        (["--start=1"], f"Invalid arguments provided:  --start=1\n{HINT}"),
        (["--start", "-p=50053"], f"Invalid arguments provided:  -p=50053\n{HINT}"),
        (["--start", "--hardware", "1"], f"Invalid arguments provided:  --hardware 1\n{HINT}"),
        (["-g", "5"], f"Invalid arguments provided:  5\n{HINT}"),
        (["--help", "extra"], f"Invalid arguments provided:  extra\n{HINT}"),
        *(
            (["--start", "-p", port], "Port must be in range (1025..65535).")
            for port in ("0", "1024", "65536", "-1", "99999999999999999999")
        ),
        *(
            (["--start", "-w", count], f"Number of workers must be in range of 1 and {MOST_WORKERS}.")
            for count in ("0", "-1", str(MOST_WORKERS + 1))
        ),
        *((["--start", "-l", level], "Log level must be in range (0..4).") for level in ("-1", "5")),
        *(
            (["--start", "-r", ratio], "Memory cap ratio should be positive and no greater than 1")
            for ratio in ("0", "-0.5", "1.01", "nan")
        ),
        *(
            (
                ["--start", "-h", host],
                f"Invalid host interface: {host}. Current limitation, only 127.0.0.1 can be used.",
            )
            for host in ("localhost", "0.0.0.0", "-p")
        ),
        (
            ["--start", "-w", "0", "-l", "9", "-p", "1"],
            f"Number of workers must be in range of 1 and {MOST_WORKERS}.",
        ),
        (["--start", "-m", "0"], "Shared memory size (in GB unit) must be positive"),
        (["--start", "-m", "-1"], "Shared memory size (in GB unit) must be positive"),
        (["--start", "-s", "relative/folder"], "Spilling directory must be an absolute path"),
        (["--start", "-s", "-p"], "Spilling directory must be an absolute path"),
        (["--start", "-s", "/proc/nothing"], "Spilling directory is not writable"),
        (["--stop"], "Server on port 50052 is not reachable or has been shutdown already."),
        (["-g"], UNREACHABLE.format(50052)),
        (["-d", "1", "2"], UNREACHABLE.format(50052)),
        (["--server_info", "-p", "50060"], UNREACHABLE.format(50060)),
    ],
)
def test_wrong_arguments(place, words, message):
    said = place.bad(*words)
    assert said.rstrip("\n").removeprefix("Unexpected error. ").startswith(message)
    started = [path for path in place.folder.rglob("*") if path.name.startswith("cache_server")]
    assert started == []


def test_no_words_at_all(place):
    assert place.bad().startswith("Usage: cache_admin COMMAND")
    assert place.bad("").startswith("Usage: cache_admin COMMAND") or "No command" in place.bad("")


@pytest.mark.parametrize(
    "words", [["--help"], ["--start", "--help"], ["--help", "-p", "1"], ["--help", "--help"]]
)
def test_help(place, words):
    done = place.admin(*words)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"(default {max(1, os.cpu_count() // 2)})" in done.stderr
    assert "-m" not in done.stderr.split()
    assert "-r" not in done.stderr.split()


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        (
            "MS_CACHE_PORT",
            "x",
            "Cache port from env variable MS_CACHE_PORT is invalid\nPort must be in range",
        ),
        (
            "MS_CACHE_PORT",
            "5006x",
            "Cache port from env variable MS_CACHE_PORT is invalid\nPort must be in range",
        ),
        ("MS_CACHE_PORT", "80", "Port must be in range (1025..65535)."),
        ("GLOG_v", "x", "Log level from env variable GLOG_v is invalid\nLog level must be in range"),
        ("GLOG_v", "5", "Log level must be in range (0..4)."),
        ("MS_CACHE_HOST", "elsewhere", UNREACHABLE.format(50052)),
    ],
)
def test_environment(place, variable, value, message):
    assert place.bad("-g", **{variable: value}).startswith(message)


def test_the_port_of_the_environment(place):
    assert UNREACHABLE.format(50071) in place.bad("-g", MS_CACHE_PORT="50071")
    assert UNREACHABLE.format(50072) in place.bad("-g", "-p", "50072", MS_CACHE_PORT="50071")


def test_list_without_a_server_prints_its_head_all_the_same(place):
    done = place.admin("--list_sessions")
    assert done.returncode == 1
    assert done.stdout == "Listing sessions for server on port 50052\n\n"
    assert done.stderr.startswith(UNREACHABLE.format(50052))


def test_a_server_from_start_to_stop(place):
    lines = place.good("--start").split("\n")
    assert lines[0] == "Cache server startup completed successfully!"
    assert re.fullmatch(
        r"The cache server daemon has been created as process id \d+ and listening on port 50052\.", lines[1]
    )
    assert lines[2:4] == ["", "Recommendation:"]
    assert f"monitor the server logs (under {place.user_folder()}/cache/log) for" in lines[4]
    assert place.bad("--start") == "Duplicate key. Cache server is already up and running\n"
    first = place.good("-g")
    assert re.fullmatch(r"Session created for server on port 50052: \d+\n", first)
    sessions = sorted(int(text.split()[-1]) for text in (first, place.good("-g"), place.good("-g")))
    table = place.good("--list_sessions").split("\n")
    assert table[:2] == ["Listing sessions for server on port 50052", ""]
    assert table[2].startswith("     Session    Cache Id  Mem cached Disk cached  Avg cache size  Numa hit")
    assert [line.split()[0] for line in table[3:-1]] == [str(session) for session in sessions]
    assert set(table[3].split()[1:]) == {"n/a"}
    dropped = place.good("-d", str(sessions[0]), str(sessions[2]))
    assert dropped == "".join(
        f"Drop session {sessions[k]} successfully for server on port 50052\n" for k in (0, 2)
    )
    done = place.admin("-d", str(sessions[1]), "99999", "5")
    assert done.returncode == 1
    assert done.stdout == f"Drop session {sessions[1]} successfully for server on port 50052\n"
    assert done.stderr == "Unexpected error. Session id 99999 not found in server on port 50052.\n"
    assert "No active sessions." in place.good("--list_sessions")
    assert place.good("--stop") == "Cache server on port 50052 has been stopped successfully.\n"
    assert place.left() == set()
    assert "not reachable or has been shutdown already" in place.bad("--stop")


def test_server_info(place, tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    place.start("-p", "50053", "-w", "3", "-l", "2", "-s", str(spill), "-m", "9", "-r", "0.5")
    session = place.good("-g", "-p", "50053").split()[-1]
    lines = place.good("--server_info", "-p", "50053").split("\n")
    rule = "-" * 70
    workers = str(min(3, 2 * os.cpu_count()))
    assert lines[0] == "Cache Server Configuration: "
    assert [lines[1], lines[3]] == [rule, rule]
    assert lines[2] == "config name".ljust(20) + "value".ljust(50)
    rows = {line[:20].rstrip(): line[20:].rstrip() for line in lines[4 : lines.index(rule, 4)]}
    assert list(rows)[:5] == ["hostname", "port", "number of workers", "log level", "spill dir"]
    assert list(rows.values())[:5] == ["127.0.0.1", "50053", workers, "2", str(spill)]
    assert lines[-5:] == [
        rule,
        "Active sessions: ",
        f"{session}  ",
        "(Please use 'cache_admin --list_sessions' to get detailed info of sessions.)",
        "",
    ]
    facts = json.loads(place.good("--server_info", "--json", "-p", "50053"))
    assert facts["spill_dir"] == str(spill)
    assert facts["sessions"] == [int(session)]
    assert facts["uptime_seconds"] > 0
    listed = json.loads(place.good("--list_sessions", "--json", "-p", "50053"))
    assert listed == {"port": 50053, "sessions": [{"session": int(session), "caches": []}]}


def test_workers_are_adjusted_with_a_warning(place):
    text = place.good("--start", "-w", "100")
    adjusted = 2 * os.cpu_count()
    if adjusted < 100:
        assert re.search(rf"^WARNING: .*\b{adjusted}\b", text, re.MULTILINE)


def test_leading_digits_are_enough(place):
    assert "listening on port 5006." in place.good("--start", "-p", "5006x", "-m", "1.5")


def test_two_servers_side_by_side(place):
    first, second = place.start(), place.start("-p", "50053")
    assert first != second
    assert place.left() == {f"cache_server_p{port}{end}" for port in (50052, 50053) for end in ("", ".lock")}
    place.good("--stop")
    assert is_gone(first)
    place.good("-g", "-p", "50053")
    place.good("--stop", "-p", "50053")


def test_socket_and_folders_are_for_the_user_alone(place):
    place.start()
    folder = place.user_folder()
    modes = {path: stat.S_IMODE(os.lstat(path).st_mode) for path in (folder, folder / "cache_server_p50052")}
    assert list(modes.values()) == [0o700, 0o600]
    logs = folder / "cache" / "log"
    assert stat.S_IMODE(logs.stat().st_mode) == 0o700
    assert any(re.search(r"\.log\.INFO\.\d{8}-\d{6}\.\d+$", path.name) for path in logs.iterdir())


def test_the_daemon_stands_alone(place):
    pid = place.start()
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert os.getsid(pid) == pid or os.getsid(pid) != os.getsid(0)
    assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in range(3)} == {"/dev/null"}
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    assert "libpython" not in maps
    assert "libmindspore" not in maps


def test_concurrent_starts_make_one_server(place):
    environment = place.environment
    starts = [
        subprocess.Popen(
            [str(ADMIN), "--start"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60) for process in starts]
    assert sorted(process.returncode for process in starts) == [0, 1, 1, 1], said
    assert sum("already up and running" in errors for _, errors in said) == 3
    place.good("--stop")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order(place, number):
    pid = place.start()
    os.kill(pid, number)
    assert is_gone(pid, 6)
    assert place.left() == set()


def test_removing_the_socket_ends_it(place):
    pid = place.start()
    (place.user_folder() / "cache_server_p50052").unlink()
    assert is_gone(pid, 5)
    place.start()


def test_removing_the_folder_ends_it(place):
    pid = place.start()
    shutil.rmtree(place.user_folder())
    assert is_gone(pid, 5)
    place.start()


def test_a_hung_server_is_ended(place):
    pid = place.start()
    os.kill(pid, signal.SIGSTOP)
    begin = time.monotonic()
    place.good("--stop")
    assert time.monotonic() - begin < 20
    assert is_gone(pid)
    place.start()


def test_a_pid_of_another_process_is_never_hit(place):
    os.kill(place.start(), signal.SIGKILL)
    lock = place.user_folder() / "cache_server_p50052.lock"
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        words = lock.read_text().split()
        lock.write_text(" ".join([words[0], str(bystander.pid), *words[2:]]) + "\n")
        assert "not reachable" in place.bad("--stop")
        assert bystander.poll() is None
        place.start()
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("leftover", ["socket", "file", "lock", "unreadable lock"])
def test_leftovers_do_not_stop_a_start(place, leftover):
    os.kill(place.start(), signal.SIGKILL)
    path = place.user_folder() / "cache_server_p50052"
    if leftover == "file":
        path.unlink()
        path.write_text("not a socket")
    elif leftover == "lock":
        path.unlink()
        (place.user_folder() / "cache_server_p50052.lock").write_text("pid x")
    elif leftover == "unreadable lock":
        (place.user_folder() / "cache_server_p50052.lock").write_bytes(bytes(range(256)))
    assert UNREACHABLE.format(50052) in place.bad("-g")
    place.start()
    place.good("-g")
    place.good("--stop")
    assert place.left() == set()


def test_a_folder_in_the_place_of_the_socket_is_named(place):
    place.start()
    place.good("--stop")
    path = place.user_folder() / "cache_server_p50052"
    path.mkdir()
    said = place.bad("--start")
    assert f"unable to create the unix socket {path}" in said


def test_only_spill_folders_of_dead_servers_are_removed(place, tmp_path):
    spill = tmp_path / "spill"
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    start = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]

    def name(port, pid, start, boot, tail="0123abcd"):
        return f"mycel_cache_server.{port}.{pid}.{start}.{boot}.{tail}"

    left_over = {name(50052, 999999, 1, boot), name(50052, os.getpid(), start, "another")}
    others = {
        name(50053, 999999, 1, boot),
        name(50052, os.getpid(), start, boot),  # alive
        name(50052, "pid", 1, boot),
        name(50052, 999999, 1, boot, "more.words"),
        name(50052, 999999, 1, boot, "short"),
        "mycel_cache_server.50052",
        "unmarked",
    }
    for folder in left_over | others:
        (spill / folder).mkdir(parents=True)
        (spill / folder / "rows").write_text("rows")
    (spill / name(50052, 999998, 1, boot)).write_text("a file of that name")
    place.start("-s", str(spill))
    assert {path.name for path in spill.iterdir() if path.is_dir()} == others
    assert (spill / name(50052, 999998, 1, boot)).is_file()
    place.good("--stop")


def test_another_user_is_refused(place):
    if os.geteuid() != 0:
        pytest.skip("becoming another user takes root")
    place.start()
    for folder in (place.folder, place.user_folder(), *list(place.folder.parents)[:-2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    path = place.user_folder() / "cache_server_p50052"
    path.chmod(0o666)
    program = (
        "import os, socket, sys\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "end = socket.socket(socket.AF_UNIX); end.connect(sys.argv[1]); end.settimeout(10)\n"
        "end.sendall(b'MYCELROW' + b'\\1\\0\\0\\0' + bytes(20))\n"
        "sys.exit(0 if end.recv(32) == b'' else 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    assert done.returncode == 0 or "ConnectionResetError" in done.stderr or "BrokenPipe" in done.stderr, done
    place.good("-g")


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"P",
        b"GET / HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 4096,
        b"PRI nonsense" * 1000,
        b"MYCELROW" + b"\xff" * 24,
        b"MYCELROW" + bytes([1, 0, 0, 0, 5, 0, 0, 0]) + bytes(16),
        b"MYCELROW" + b"\x01",
        b"\0" * 65536,
    ],
)
def test_nonsense_on_the_socket_changes_nothing(place, first):
    pid = place.start()
    for _ in range(5):
        with socket.socket(socket.AF_UNIX) as end, contextlib.suppress(OSError):
            end.connect(str(place.user_folder() / "cache_server_p50052"))
            end.settimeout(0.2)
            end.sendall(first)
            end.recv(64)
    place.good("-g")
    assert not is_gone(pid, 0.1)


def test_kills_leave_nothing_that_matters(place, tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    rounds = int(float(os.environ.get("MYCEL_STRESS_SECONDS", "2")) * 5)
    choice = random.Random(17)
    for _ in range(rounds):
        victim = choice.choice(["server", "admin", "stop"])
        if victim == "server":
            os.kill(place.start("-s", str(spill)), signal.SIGKILL)
            continue
        if victim == "stop":
            place.start("-s", str(spill))
        command = "--stop" if victim == "stop" else "--start"
        process = subprocess.Popen(
            [str(ADMIN), command], env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(choice.random() * 0.05)
        process.kill()
        process.wait()
        # What it began may still come to its end; then it is a server as any other.
        for lock in place.folder.glob("*/*.lock"):
            with contextlib.suppress(ProcessLookupError, FileNotFoundError, IndexError, ValueError):
                os.kill(int(lock.read_text().split()[1]), signal.SIGKILL)
        end = time.monotonic() + 5
        while place.admin("--start", "-s", str(spill)).returncode != 0:
            assert time.monotonic() < end
            place.admin("--stop")
        place.good("-g")
        place.good("--stop")
    place.start("-s", str(spill))
    place.good("--stop")
    assert place.left() == set()
    assert list(spill.iterdir()) == []


def test_a_long_name_of_the_folder(tmp_path):
    here = Place(tmp_path / ("long" * 40))
    here.start()
    here.good("-g")
    here.good("--stop")


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    here = Place(tmp_path / "file" / "below")
    assert str(tmp_path / "file" / "below") in here.bad("--start")


@pytest.mark.parametrize("name", ["cache_admin", "dataset-cache"])
def test_the_installed_commands(place, tmp_path, name):
    script = tmp_path / name
    script.write_text(COMMAND.read_text())
    environment = {**place.environment, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, script, "-g"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(UNREACHABLE.format(50052))


def test_cache_server_is_not_called_by_hand(place):
    done = subprocess.run([str(ADMIN.with_name("cache_server"))], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "cache_server is started by 'cache_admin --start'.\n")

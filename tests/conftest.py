"""The seal: no test sees the machine it runs on.

Home, configuration, author, time zone and editor are the tests' own; nothing that an agent, git or a user set in the
environment comes in. Sealed before the first import of a test module, once per worker, and again before each test, so
that a test which changes the environment does not change the next one.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Helpers of the end-to-end tests that assert: a failure there shows the values, too.
pytest.register_assert_rewrite("proof", "repo", "situations", "stories")

# What the environment may keep: enough to find programs, run in parallel, and be told which real agent to use.
KEPT = (
    "PATH",
    "TMPDIR",
    "CI",
    "ENTIRE_ACCEPT",
    "ENTIRE_FORKS",
    "ENTIRE_LONG",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "TERM",
    "VIRTUAL_ENV",
)
KEPT_PREFIXES = ("PYTEST_", "ENTIRE_E2E_", "COV_", "COVERAGE_")

GIT_CONFIG = """\
[user]
    name = Ada Tester
    email = ada@example.com
[init]
    defaultBranch = main
[commit]
    gpgSign = false
[advice]
    detachedHead = false
[gc]
    auto = 0
[maintenance]
    auto = false
[protocol "file"]
    allow = always
"""

settings.register_profile(
    "here",
    deadline=None,
    database=None,
    max_examples=500 if "ENTIRE_LONG" in os.environ else 40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def sealed_environment(home: Path) -> dict[str, str]:
    """Return an environment in which everything personal is in ``home``."""
    inherited = {key: value for key, value in os.environ.items() if key in KEPT or key.startswith(KEPT_PREFIXES)}
    # First comes the interpreter itself: the `python3` of a version manager is a script that takes longer than it.
    path = f"{Path(sys.base_prefix, 'bin')}{os.pathsep}{os.environ['PATH']}"
    return inherited | {
        "PATH": path,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_EDITOR": "false",
        "EDITOR": "false",
        "VISUAL": "false",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "no_proxy": "*",
    }


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests run at once (``-n auto``): one more than there are processors, for tests wait as well."""
    return (os.cpu_count() or 1) + 1


_MEMORY = Path("/dev/shm")
_ROOM, _FILES = 10 << 30, 2_000_000
"""Bytes and files that must be free there: a whole run writes a third of that."""


def _move_into_memory(config: pytest.Config) -> None:
    """Let a whole run write into memory where there is room: on a disk it takes a tenth longer."""
    is_whole = getattr(config.option, "numprocesses", 0) and not hasattr(config, "workerinput")
    if not is_whole or config.option.basetemp or "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK):
        return
    for left in _MEMORY.glob("entire-tests-*-*"):  # of a run that was killed
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    there, available = os.statvfs(_MEMORY), re.search(r"MemAvailable: *(\d+)", Path("/proc/meminfo").read_text())
    room = min(there.f_bavail * there.f_frsize, int(available[1]) << 10 if available else 0)
    if room > _ROOM and there.f_favail > _FILES and not there.f_flag & os.ST_NOEXEC:
        folder = os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(
            prefix=f"entire-tests-{os.getpid()}-", dir=_MEMORY
        )
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_configure(config: pytest.Config) -> None:
    """Seal this process before test modules are imported: they may look at the environment."""
    _move_into_memory(config)
    # Images of containers set it: then each worker compiles every test module in every run, two thirds of its start.
    sys.dont_write_bytecode = False
    home = Path(tempfile.mkdtemp(prefix="entire-tests-")).resolve() / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(GIT_CONFIG)
    environment = sealed_environment(home)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    config.stash[HOME] = home
    config.stash[SEALED] = environment
    config.add_cleanup(lambda: shutil.rmtree(home.parent, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let what is collected be no garbage: to look through it again and again took a tenth of a worker's time."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    gc.enable()
    return result


_NEW_OBJECTS = 50_000
"""So many make the collector look; Python's own figure is 700."""

HOME = pytest.StashKey[Path]()
SEALED = pytest.StashKey[dict[str, str]]()


_numbers = count()


def _folder(name: str, factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a number: pytest looks for a free one among all others, a twentieth of a whole run's time."""
    return factory.mktemp(f"{name}{next(_numbers)}", numbered=False)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of this test's own, as pytest's fixture does, with no longer a path: sockets have little room."""
    return _folder(re.sub(r"\W", "_", request.node.name)[:26], tmp_path_factory)


@pytest.fixture(autouse=True)
def seal(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give each test the sealed environment, a home of its own and a current folder outside of any repository."""
    home = _folder("home", tmp_path_factory)
    (home / ".gitconfig").write_text(GIT_CONFIG)
    old = str(request.config.stash[HOME])
    sealed = {
        key: value.replace(old, str(home)) if value.startswith(old) else value
        for key, value in request.config.stash[SEALED].items()
    }
    sealed["GIT_CEILING_DIRECTORIES"] = str(tmp_path_factory.getbasetemp())
    for name in set(os.environ) - sealed.keys() - {"PYTEST_CURRENT_TEST"}:
        monkeypatch.delenv(name)
    for name, value in sealed.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home)

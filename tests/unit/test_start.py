"""``os`` as hooks import it: it has all that it has elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path

from entire import start

USE = """
import sys
sys.path.append({source!r})
from entire import start
if {light}:
    start._import_os()
import os
def tried(function, *words):
    try:
        return function(*words)
    except Exception as error:
        return type(error).__name__
env = os.environ
print([sorted(env), len(env), env == dict(env), env == {{}}, env != env.copy(), env == env, "A" in env, "Z" in env])
print([env.get("A"), env.get("Z"), env.get("Z", 1), sorted(env.keys()), sorted(env.values()), sorted(env.items())])
print([env.pop("A"), tried(env.pop, "A"), env.pop("A", 2), env.setdefault("A", "3"), env["A"], tried(hash, env)])
env.update(B="4")
env.update({{"C": "5"}})
env |= {{"D": "6"}}
print([(env | {{"E": "7"}})["E"], ({{"F": "8"}} | env)["D"], tried(lambda: env | 1), {{**env}} == dict(env)])
print([len(env.popitem()), env.clear(), dict(env), tried(env.popitem)])
print([isinstance(thing, os.PathLike) for thing in ("a", type("Path", (), {{"__fspath__": id}})())])
print("_collections_abc" in sys.modules)
"""


def test_the_environment_has_the_methods_of_a_mapping() -> None:
    methods = {name for name in dir(MutableMapping) if not name.startswith("_")}
    assert methods - set(dir(start._Environment)) == {"setdefault"}, "os defines that one"


def test_it_does_the_same() -> None:
    said = {light: _said(light=light) for light in (False, True)}
    assert said[False][-1:] == ["True"], "os did not load the abstract classes"
    assert said[True][-1:] == ["False"], "the abstract classes were loaded"
    assert said[True][:-1] == said[False][:-1]
    assert len(said[True]) == 7


def _said(*, light: bool) -> list[str]:
    code = USE.format(source=str(Path(start.__file__).parents[1]), light=light)
    env = {"A": "1", "B": "2", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, env=env)
    assert done.stderr == ""
    return done.stdout.splitlines()

"""A plugin in Python is started without ``site``, and should not notice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from entire.plugin import script

ROOT = Path(__file__).resolve().parents[3]


def test_a_program_runs_as_python_would_run_it(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("""if True:
        import sys
        from entire.plugin import Event
        print(__name__, __file__ == sys.argv[0], sys.argv[1:], sys.modules["__main__"].Event is Event)
        print("site" in sys.modules, sys.path[0] == sys.argv[0])
        try:
            import of_nobody
        except ModuleNotFoundError as error:
            print(error)
        import atexit
        atexit.register(print, "at the end")
        exit(3)
    """)
    done = subprocess.run(
        [sys.executable, "-I", "-S", ROOT / "src/entire/launch.py", "run", tmp_path / "tool.py", "a", "b"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines() == [
        "__main__ True ['a', 'b'] True", "False False", "No module named 'of_nobody'", "at the end",
    ]  # fmt: skip


def test_what_path_files_name_is_found(tmp_path: Path) -> None:
    """Packages that are installed as editable are found too, when one is asked for."""
    prefix = tmp_path / "env"
    packages = prefix / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for folder in (packages, prefix / "bin", tmp_path / "elsewhere"):
        folder.mkdir(parents=True)
    (tmp_path / "elsewhere/far_away.py").write_text("value = 7")
    (packages / "x.pth").write_text(str(tmp_path / "elsewhere"))
    (tmp_path / "tool").write_text("import far_away, sys; sys.exit(far_away.value)")
    code = (
        "import sys; sys.path.append(sys.argv[1]); from entire import start; "
        "sys.path[-1:] = start.search_path(sys.argv[1], sys.argv[2], sys.version_info[:2]); "
        "from entire.plugin import script; script.run(sys.argv[3])"
    )
    argv = (ROOT / "src", prefix / "bin/python", tmp_path / "tool")
    assert subprocess.run([sys.executable, "-I", "-S", "-c", code, *argv], timeout=60).returncode == 7


def test_a_module_of_nobody_is_looked_for_once() -> None:
    finder = script._PathFiles()
    sys.meta_path.append(finder)  # type: ignore[arg-type]
    assert finder.find_spec("of_nobody") is None
    assert finder not in list[object](sys.meta_path)

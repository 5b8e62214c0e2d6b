"""Test runs are recognised by the words of a command, and their figures by the runner's own summary."""

from __future__ import annotations

import pytest

from entire.model.transcripts import ToolCall
from entire.summaries import runners

RUNS = {
    "pytest -q": "pytest",
    "cd x && FOO=1 .venv/bin/python -m pytest tests/test_a.py -x 2>&1 | tail -20": "pytest",
    "timeout 60 uv run --frozen pytest": "pytest",
    "bash -lc 'cd x; py.test'": "pytest",
    "python3 -m unittest discover": "unittest",
    "python manage.py test": "manage.py test",
    "tox -e py311": "tox",
    "npm test": "npm test",
    "npm t": "npm t",
    "npm run test:unit -- --watch=false": "npm run test:unit",
    "yarn test": "yarn test",
    "yarn jest": "jest",
    "pnpm vitest run": "vitest",
    "npx jest src": "jest",
    "node --test": "node --test",
    "go test ./...": "go test",
    "cargo test --lib": "cargo test",
    "cargo nextest run": "cargo nextest",
    "make test ARGS=x": "make test",
    "make -j4 lint test": "make test",
    "./gradlew clean :app:test": "gradle test",
    "mvn -q test": "mvn test",
    "ctest --output-on-failure -V": "ctest",
    "bundle exec rspec": "rspec",
    "dotnet test": "dotnet test",
    "bazel test //...": "bazel test",
    "pytest && npm test": "pytest, npm test",
}
NO_RUNS = [
    "pytest --version", "pytest --collect-only", "echo pytest", "git commit -m 'run pytest'", "grep -rn pytest .",
    "pip install pytest", "npm run build", "npm install jest", "go build ./...", "cargo check", "make", "vim test.py",
    "make install", "cat tests/test_a.py", "test -f a.py", "go vet test", "unbalanced 'quote pytest", "", "git test",
]  # fmt: skip
OUTPUTS = {
    "=========== 1 failed, 3 passed, 2 skipped in 0.12s ============": (3, 1, 2),
    "\x1b[32m\x1b[1m3 passed\x1b[0m in 0.01s": (3, None, None),
    "===== 1 passed, 2 errors in 1.05s =====": (1, 2, None),
    "...\n3 passed in 62.01s (0:01:02)": (3, None, None),
    "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 passed, 3 total": (2, 1, None),
    " Test Files  1 passed (1)\n      Tests  1 failed | 2 passed (3)": (2, 1, None),
    "  3 passing (10ms)\n  1 failing\n  2 pending": (3, 1, 2),
    "test result: ok. 3 passed; 0 failed; 1 ignored\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored": (4, 2, 1),
    "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b\n--- FAIL: TestB\nFAIL": (2, 1, None),
    "....\nRan 4 tests in 0.001s\n\nOK": (4, None, None),
    "Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)": (1, 2, 1),
    "3 examples, 1 failure, 1 pending": (1, 1, 1),
    "[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0": (2, 1, 0),
    "3 tests completed, 1 failed": (2, 1, None),
    "67% tests passed, 1 tests failed out of 3": (2, 1, None),
    "OK (3 tests, 5 assertions)": (3, None, None),
    "Tests: 3, Assertions: 5, Failures: 1.": (2, 1, None),
    "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4": (3, 0, 1),
    "# tests 3\n# pass 2\n# fail 1\n# skipped 0": (2, 1, 0),
    " 3 pass\n 1 fail": (3, 1, None),
    "ok  \texample.org/x\t0.01s": (None, None, None),
    "I read that 3 passed and 4 failed": (None, None, None),
    "": (None, None, None),
}


@pytest.mark.parametrize("command", RUNS)
def test_a_run_of_tests_is_recognised(command: str) -> None:
    assert runners.runner(command) == RUNS[command]


@pytest.mark.parametrize("command", NO_RUNS)
def test_other_commands_run_no_tests(command: str) -> None:
    assert runners.runner(command) == ""
    assert runners.run(ToolCall(command=command, output="3 passed in 0.1s"), 0) is None


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_figures_are_the_runners(output: str) -> None:
    found = runners.counts(output)
    assert (found.get("passed"), found.get("failed"), found.get("skipped")) == OUTPUTS[output]


@pytest.mark.parametrize(
    ("output", "fails", "result"),
    [
        ("3 passed in 0.1s", False, "passed"),
        ("1 failed, 2 passed in 0.1s", False, "failed"),  # as behind a pipe
        ("3 passed in 0.1s", True, "failed"),
        ("all is well", False, "passed"),
        ("", True, "failed"),
        ("", False, "unknown"),
        ("Command running in background with ID: b1", False, "unknown"),
    ],
)
def test_the_result(output: str, fails: bool, result: str) -> None:
    found = runners.run(ToolCall(command="pytest", output=output, has_failed=fails), 3)
    assert found is not None
    assert (found.result, found.runner, found.at) == (result, "pytest", 3)

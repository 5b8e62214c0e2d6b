"""Tables of names: strings are beyond the import linter and the type checker."""

from __future__ import annotations

import importlib
import inspect

import pytest

from entire import lifecycle, settings, strategies
from entire.lifecycle import recovery
from entire.model.phases import Action


def resolve(target: str) -> object:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def test_every_action_is_carried_out_by_one_function() -> None:
    assert set(lifecycle.HANDLERS) == set(Action)
    handlers = [resolve(target) for target in lifecycle.HANDLERS.values()]
    assert all(map(callable, handlers))
    assert len(set(handlers)) == len(handlers)


def test_every_recovery_is_in_the_list_once_and_runs_somewhere() -> None:
    functions = [function for name, function in inspect.getmembers(recovery, inspect.isfunction)
                 if name[0] != "_" and [*inspect.signature(function).parameters][1:] in (["_"], ["event"])]  # fmt: skip
    listed = [function for function, _ in recovery.RECOVERIES]
    assert sorted(listed, key=lambda function: function.__name__) == functions
    places = {recovery.CALLED, recovery.OPENED, recovery.DONE, recovery.COMMAND, recovery.READ}
    for function, where in recovery.RECOVERIES:
        assert where, function
        assert set(where) <= places, function


@pytest.mark.parametrize("name", strategies.TABLE)
def test_a_strategy_bears_the_word_of_the_settings(name: str) -> None:
    assert resolve(strategies.TABLE[name].where).name == name  # type: ignore[attr-defined]


def test_the_settings_know_the_strategies_that_there_are() -> None:
    assert set(settings.STRATEGIES) == set(strategies.TABLE)

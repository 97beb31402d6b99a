"""A program of the installed ai-dynamo, asked without its heavy dependencies.

Its own code parses the command line, so that what it takes and refuses is what it says. Only the
standard library is at hand.
"""

import argparse
import contextlib
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, Protocol

# Where each program parses its command line, the newest place first.
ENTRIES = {
    "dynamo.trtllm": (
        "dynamo.trtllm.args:parse_args",
        "dynamo.trtllm.utils.trtllm_utils:cmd_line_args",
    ),
    "dynamo.frontend": ("dynamo.frontend.main:parse_args",),
}
BUILD_CONFIG = {
    "max_batch_size": 2048,
    "max_num_tokens": 8192,
    "max_seq_len": None,
    "max_beam_width": 1,
}
# How the variables of its programs begin.
OURS = ("DYN_", "CUSTOM_BACKEND_")


class Parse(Protocol):
    """Tells why a program refuses a command line and environment; None when it takes them."""

    def __call__(
        self, words: Sequence[str], variables: Mapping[str, str] | None = None
    ) -> str | None:
        """Ask."""


class Captured(Exception):  # noqa: N818 (not an error)
    """Carries the parser that a program was about to use."""


class _Anything(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})

    def __call__(cls, *_: Any, **__: Any) -> Any:
        return cls

    def __getitem__(cls, _: Any) -> Any:
        return cls

    def __or__(cls, _: Any) -> Any:
        return cls

    def __ror__(cls, _: Any) -> Any:
        return cls


class StandIns:
    """Finds a module without content for every package that is not installed."""

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        """Find anything but Dynamo itself."""
        if name.partition(".")[0] == "dynamo":
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that has every name."""
        module = ModuleType(spec.name)

        def attribute(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if name == "BuildConfig":
                fields = {k: SimpleNamespace(default=v) for k, v in BUILD_CONFIG.items()}
                return SimpleNamespace(model_fields=fields, **BUILD_CONFIG)
            return _Anything(name, (), {})

        module.__getattr__ = attribute  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


class RecordingEnvironment(dict[str, str]):
    """The environment, with the names that were asked for since the last flag was added."""

    asked: list[str]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a variable and take note that it was asked for."""
        self.asked.append(key)
        return super().get(key, default)


def entry_of(program: str) -> Callable[..., Any]:
    """Return the function that parses the program's command line."""
    for place in ENTRIES[program]:
        module, _, function = place.partition(":")
        with contextlib.suppress(ModuleNotFoundError):
            return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]
    raise SystemExit(f"{program} is not installed")


def captured(entry: Callable[..., Any]) -> tuple[argparse.ArgumentParser, dict[str, str]]:
    """Return the program's parser, and the variable of each flag that has one."""
    variables: dict[str, str] = {}
    environment = RecordingEnvironment(os.environ)
    environment.asked = []
    add_argument = argparse._ActionsContainer.add_argument
    methods = {
        name: getattr(argparse.ArgumentParser, name) for name in ("parse_args", "parse_known_args")
    }

    def recording(self: Any, *names: str, **options: Any) -> argparse.Action:
        told = re.search(r"env var: (\w+)", options.get("help") or "")
        asked = [told.group(1)] if told else [n for n in environment.asked if n.startswith(OURS)]
        if asked and names:
            variables[names[0]] = asked[-1]
        environment.asked.clear()
        return add_argument(self, *names, **options)

    def capture(self: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        raise Captured(self)

    real = os.environ
    vars(os)["environ"] = environment
    argparse._ActionsContainer.add_argument = recording  # type: ignore[method-assign]
    for name in methods:
        setattr(argparse.ArgumentParser, name, capture)
    try:
        entry()
    except Captured as found:
        parser: argparse.ArgumentParser = found.args[0]
        return parser, variables
    finally:
        vars(os)["environ"] = real
        argparse._ActionsContainer.add_argument = add_argument  # type: ignore[method-assign]
        for name, method in methods.items():
            setattr(argparse.ArgumentParser, name, method)
    raise SystemExit("the program builds no parser")


def asking(entry: Callable[..., Any]) -> Parse:
    """Return a function that asks the program about a command line."""

    def ask(words: Sequence[str], variables: Mapping[str, str] | None = None) -> str | None:
        sys.argv = ["program", *words]
        said, before = io.StringIO(), dict(os.environ)
        os.environ.update(variables or {})
        try:
            with contextlib.redirect_stderr(said), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                entry()
        except SystemExit:
            return said.getvalue() or "refused"
        except Exception as error:  # noqa: BLE001 -- whatever it raises is its refusal
            return f"{error}"
        finally:
            # Some programs write what they have read back into the environment.
            os.environ.clear()
            os.environ.update(before)
        return None

    return ask

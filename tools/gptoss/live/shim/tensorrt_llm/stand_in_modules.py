"""Modules that have what they are given, and an empty class for any other name."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec


class Placeholder:
    """Something that a worker names and a simulated engine has no use for."""

    def __init__(self, *_: Any, **settings: Any) -> None:
        vars(self).update(settings)

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The settings, as a pydantic model would give them."""
        return dict(vars(self))


class _Enumeration(type):
    """A class whose unknown attributes are their own names, as those of an enumeration."""

    def __getattr__(cls, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


class StandInModule(ModuleType):
    """A module with the names that are simulated."""

    absent: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self.absent:
            raise AttributeError(name)
        made = _Enumeration(name, (Placeholder,), {})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a package and every submodule of it that has no file."""

    def __init__(self, package: str, modules: Mapping[str, Mapping[str, Any]]) -> None:
        self.package = package
        self.modules = modules

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not f"{fullname}.".startswith(f"{self.package}."):
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> StandInModule:
        return StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        given = self.modules.get(module.__name__.removeprefix(f"{self.package}."), {})
        if "ABSENT" in given:
            vars(module)["absent"] = given["ABSENT"]
        vars(module).update(given)


def install(package: str, modules: Mapping[str, Mapping[str, Any]]) -> None:
    """Gives a package its modules; those that are installed or have a file are found before."""
    sys.meta_path.append(_Finder(package, modules))

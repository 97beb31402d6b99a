"""How a part of an example changes what it is laid over."""

from __future__ import annotations

import shlex
from typing import Any

import yaml

from gptoss.text import plain_yaml


def merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """Merges maps deeply, and lists of named things by name; null removes, all else replaces."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            merge(target[key], value)
        elif _are_named(value) and _are_named(target.get(key)):
            target[key] = _merged(target[key], value)
        else:
            target[key] = value


def lay(target: dict[str, Any], what: str, text: str) -> None:
    """Lays a text over a component of a graph, a Deployment, a Job or another object.

    Args:
        target: The component or object.
        what: What of it, as in ``flags``; nothing for the whole.
        text: The text of the part.

    Raises:
        ValueError: There is no such ``what``.
    """
    match what:
        case "":
            merge(target, plain_yaml.load(text))
        case "pod":
            merge(pod_of(target), plain_yaml.load(text))
        case "container":
            merge(_container(target), plain_yaml.load(text))
        case "env":
            set_variables(target, plain_yaml.load(text))
        case "script":
            _run(_container(target), text)
        case "flags":
            given = shlex.split(text)
            words = _words(target)
            _remove(words, [word for word in given if word.startswith("--") and word in words])
            words.extend(given)
        case "flags removed":
            _remove(_words(target), text.split())
        case _:
            raise ValueError(f"nothing is known about {what!r}")


def set_variables(target: dict[str, Any], values: dict[str, str | None]) -> None:
    """Sets variables of a container; null removes one."""
    container = _container(target)
    kept = [variable for variable in container["env"] if variable["name"] not in values]
    given = [{"name": name, "value": value} for name, value in values.items() if value is not None]
    container["env"] = kept + given


def pod_of(target: dict[str, Any]) -> dict[str, Any]:
    """The pod of a component of a graph, of a Deployment or of a Job."""
    pod: dict[str, Any] = target.get("extraPodSpec") or target["spec"]["template"]["spec"]
    return pod


def dump(data: Any) -> str:
    """YAML with texts of several lines as literal blocks."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


def _container(target: dict[str, Any]) -> dict[str, Any]:
    pod = pod_of(target)
    container: dict[str, Any] = pod.get("mainContainer") or pod["containers"][0]
    return container


def _words(target: dict[str, Any]) -> list[str]:
    container = _container(target)
    words: list[str] = container["args" if "args" in container else "command"]
    return words


def _remove(words: list[str], flags: list[str]) -> None:
    """Removes flags with their values."""
    for flag in flags:
        at = words.index(flag)
        has_value = at + 1 < len(words) and not words[at + 1].startswith("--")
        del words[at : at + 1 + has_value]


def _run(container: dict[str, Any], script: str) -> None:
    command = shlex.join(container["command"] + container.get("args", []))
    container["command"] = ["/bin/sh", "-c"]
    container["args"] = [script.replace("{command}", command)]


def _are_named(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and "name" in item for item in value)
    )


def _merged(items: list[Any], patches: list[Any]) -> list[Any]:
    by_name = {item["name"]: item for item in items}
    for patch in patches:
        merge(by_name.setdefault(patch["name"], {}), patch)
    return list(by_name.values())


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)

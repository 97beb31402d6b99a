"""Holds the commands of a document against what is installed, rendered and parsed."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gptoss.cli import main
from gptoss.facts import folders
from tests.chart.rendering import HELMS, ROOT, run
from tests.docs.reality import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.docs.commands import Command
    from tests.docs.reality import Installed

OTHERS = {"export", "tail", "exit", "ls", "python3", "aiperf/bin/pip"}
EVERYWHERE = {"namespace", "storageclass", "crd"}
CRD = "dynamographdeployments.nvidia.com"
# What can be waited for: a Job may be done, or its pod may run.
CONDITIONS = {
    "Job": {"condition=Complete", "jsonpath={.status.ready}=1"},
    "Pod": {"condition=Ready"},
    "DynamoGraphDeployment": {"condition=Ready"},
}
PATHS = {"/health", "/v1/models", "/v1/chat/completions", "/v1/responses"}
ADDRESS = re.compile(r"https?://(?:localhost|127\.0\.0\.1):8000(/\S*)?")


class Words(argparse.ArgumentParser):
    """A parser that refuses by failing the test."""

    def error(self, message: str) -> NoReturn:
        raise AssertionError(f"{self.prog}: {message}")


@dataclass
class Reader:
    """Somebody who types the commands of one document.

    Attributes:
        installed: The target with everything on that the document turns on.
        others: Objects that the document itself gives as YAML.
        compose: The rendered compose file; None where there is none.
        script: The rendered launch script.
        text: The document.
        folder: Where ``cd`` has led.
        rendered: Folders that ``gptoss render`` has written.
        containers: Names of containers that run.
        logged: Names of pods whose logs were read.
    """

    installed: Installed
    others: Sequence[Mapping[str, Any]] = ()
    compose: Mapping[str, Any] | None = None
    script: str = ""
    text: str = ""
    folder: str = ""
    rendered: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    logged: set[str] = field(default_factory=set)

    def types(self, command: Command) -> None:
        """Holds one command against what is there."""
        program, *words = command.words
        programs: dict[str, Callable[[list[str]], object]] = {
            "kubectl": self.kubectl,
            "helm": self.helm,
            "gptoss": self.gptoss,
            "docker": self.docker,
            "./launch.sh": self.launch,
            "make": make,
            "curl": curl,
            "cd": self.goes,
        }
        if program in programs:
            programs[program](words)
        else:
            assert program in OTHERS, f"nothing here knows {program}"

    def reads(self, command: Command) -> None:
        """Holds what a sentence names against what is there; it may name a command alone."""
        program, *words = command.words
        if program == "gptoss":
            if set(words) - names_of(main):
                self.gptoss(words)
        elif len(words) > 1 and "..." not in str(command):
            self.types(command)

    def goes(self, words: list[str]) -> None:
        assert words[0] in self.rendered, f"nothing has written {words[0]}"
        self.folder = words[0]

    # kubectl

    def kubectl(self, words: list[str]) -> None:
        verb, *rest = words
        parser = Words(prog=f"kubectl {verb}", allow_abbrev=False)
        parser.add_argument("-n", "--namespace", default="")
        for name, settings in KUBECTL[verb].items():
            parser.add_argument(*name.split(), **settings)
        said = parser.parse_intermixed_args(rest)
        getattr(self, f"kubectl_{verb.replace('-', '_')}")(said)

    def names(self, kind: str) -> set[str]:
        """Names of everything of a kind that is there."""
        found = {o["metadata"]["name"] for o in self.others if o["kind"] == kind}
        return found | set(self.installed.labels(kind))

    def named(self, said: argparse.Namespace) -> tuple[str, list[str]]:
        """Kind and names that ``KIND NAME``, ``KIND/NAME`` or ``KIND -l LABELS`` mean."""
        kind, _, name = said.what[0].partition("/")
        names = [name] if name else said.what[1:]
        if kind in EVERYWHERE:
            assert names in ([], [self.installed.namespace], [CRD]), names
            return kind, names
        if kind == "application":
            assert said.namespace == "argocd"
            assert names == [
                o["metadata"]["name"] for o in self.others if o["kind"] == "Application"
            ]
            return "Application", names
        self.in_namespace(said)
        kind = KINDS[kind]
        if said.selector:
            names = self.installed.selected(kind, said.selector)
            assert names, f"no {kind} has {said.selector}"
        missing = set(names) - self.names(kind)
        assert not missing, f"there is no {kind} {missing}, but {self.names(kind)}"
        return kind, names

    def in_namespace(self, said: argparse.Namespace) -> None:
        nowhere = not said.namespace and "$NAMESPACE" not in self.text
        assert nowhere or said.namespace == self.installed.namespace, f"-n {said.namespace}"

    def kubectl_get(self, said: argparse.Namespace) -> None:
        kind, names = self.named(said)
        if kind == "Pod" and said.selector:
            assert names == self.installed.serving

    def kubectl_wait(self, said: argparse.Namespace) -> None:
        kind, names = self.named(said)
        assert len(names) == 1, names
        assert getattr(said, "for") in CONDITIONS[kind]

    def kubectl_rollout(self, said: argparse.Namespace) -> None:
        assert said.what.pop(0) == "status"
        kind, names = self.named(said)
        assert (kind, len(names)) == ("Deployment", 1)

    def kubectl_logs(self, said: argparse.Namespace) -> None:
        if said.selector:
            said.what = ["pod"]
        _, names = self.named(said)
        assert len(names) == 1, names
        self.logged |= set(names)
        assert not said.selector or said.tail == "-1", "by labels it gives ten lines only"

    def kubectl_port_forward(self, said: argparse.Namespace) -> None:
        *said.what, ports = said.what
        kind, names = self.named(said)
        assert (kind, len(names), ports.split(":")[1]) == ("Service", 1, "8000")

    def kubectl_delete(self, said: argparse.Namespace) -> None:
        _, names = self.named(said)
        assert names

    def kubectl_create(self, said: argparse.Namespace) -> None:
        if said.what[0] == "namespace":
            assert said.what == ["namespace", self.installed.namespace]
            return
        self.in_namespace(said)
        if said.what[0] == "configmap":
            assert (ROOT / said.from_file).is_file()
            return
        kind, form, name = said.what
        assert kind == "secret"
        if form == "docker-registry":
            return
        assert form == "generic"
        assert (name, said.from_literal.partition("=")[0]) in self.installed.secrets

    def kubectl_events(self, said: argparse.Namespace) -> None:
        self.in_namespace(said)

    def kubectl_label(self, said: argparse.Namespace) -> None:
        kind, name, _ = said.what
        assert f"kubectl create {kind} {name} " in self.text

    def kubectl_apply(self, said: argparse.Namespace) -> None:
        assert said.filename == "-" or f"`{said.filename}`" in self.text
        assert said.filename == "-" or self.others

    def kubectl_cp(self, said: argparse.Namespace) -> None:
        self.in_namespace(said)
        pod, _, path = said.what[0].partition(":")
        assert pod in self.names("Pod")
        assert f"mountPath: {path}" in self.text, path

    # helm

    def helm(self, words: list[str]) -> None:
        verb, *rest = words
        flags = {word.partition("=")[0] for word in rest if word.startswith("-")}
        for helm in HELMS:
            unknown = flags - helm_flags(helm, verb)
            assert not unknown, f"{helm} {verb} has no {unknown}"
        if verb == "template" and "|" not in rest:
            done = run("helm4", *words)
            assert done.returncode == 0, done.stderr
        plain = positional(rest)
        if verb in {"install", "upgrade"} and not plain[1].startswith("https://"):
            assert (ROOT / plain[1]).is_dir()
        if verb not in {"template", "install"} and "--install" not in rest:
            assert plain[verb == "get"] == self.installed.name

    # gptoss, docker, launch.sh

    def gptoss(self, words: list[str]) -> None:
        said = parsed(main, "gptoss", words)
        request = said.get("sources", ())
        # What is asked where it runs may be named by its release.
        named = {self.installed.name} if words[0] == "status" else set()
        for source in {*request} - named:
            known = source in folders.values_files() or (ROOT / source).exists()
            assert known or re.search(r"[./*]|^[A-Z]+$", source), f"there is no {source}"
        if said.get("form") in {"compose", "shell"} and said.get("folder"):
            self.rendered.add(str(said["folder"]))

    def docker(self, words: list[str]) -> None:
        if words[0] == "compose":
            self.docker_compose(words[1:])
        if "--name" in words:
            self.containers.add(words[words.index("--name") + 1])
        if words[0] in {"exec", "rm"}:
            assert self.containers & set(words), f"{words} names none of {self.containers}"
        if words[:2] == ["volume", "rm"]:
            assert f"{words[2]}}}" in self.script, f"the script has no volume {words[2]}"
        if "./launch.sh" in words:
            self.launch(words[words.index("./launch.sh") + 1 :])

    def docker_compose(self, words: list[str]) -> None:
        assert self.compose, "there is no compose file for this target"
        parser = Words(prog="docker compose", allow_abbrev=False)
        parser.add_argument("--profile", action="append", default=[])
        verbs = parser.add_subparsers(dest="verb", required=True)
        for verb, flags in COMPOSE.items():
            sub = verbs.add_parser(verb, prog=f"docker compose {verb}", allow_abbrev=False)
            for flag in flags:
                sub.add_argument(*flag.split(), action="store_true")
            sub.add_argument("services", nargs="*")
        said = parser.parse_args(words)
        services = self.compose["services"]
        profiles = {p for service in services.values() for p in service.get("profiles", [])}
        assert set(said.profile) <= profiles | {"*"}
        taken = said.services[:1] if said.verb in {"exec", "run"} else said.services
        assert set(taken) <= set(services), f"{taken} are not among {list(services)}"

    def launch(self, words: list[str]) -> None:
        parts = set(re.findall(r"^  ([\w.-]+)\) ", self.script, re.MULTILINE))
        refused = re.search(r"^  all\) fail", self.script, re.MULTILINE)
        parts -= {"all"} if refused else set()
        assert set(words or ["all"]) <= parts, f"launch.sh {words} is none of {parts}"


MANY = {"nargs": "*"}
LABELS: dict[str, dict[str, Any]] = {"-l --selector": {}}
SWITCH = {"action": "store_true"}
KUBECTL: dict[str, dict[str, dict[str, Any]]] = {
    "get": {"what": MANY, **LABELS, "-w --watch": SWITCH},
    "wait": {"what": MANY, **LABELS, "--for": {}, "--timeout": {}},
    "rollout": {"what": MANY, **LABELS, "--timeout": {}},
    "logs": {"what": MANY, **LABELS, "--tail": {}, "-f --follow": SWITCH},
    "port-forward": {"what": MANY, **LABELS},
    "delete": {"what": MANY, **LABELS, "--ignore-not-found": SWITCH},
    "create": {
        "what": MANY,
        "--from-literal": {},
        "--from-file": {},
        "--docker-server": {},
        "--docker-username": {},
        "--docker-password": {},
    },
    "events": {"--types": {"choices": ["Warning", "Normal"]}},
    "label": {"what": MANY},
    "apply": {"-f --filename": {}},
    "cp": {"what": MANY},
}
COMPOSE = {
    "up": ["-d --detach", "--wait"],
    "down": ["-v --volumes"],
    "run": ["--rm"],
    "ps": [],
    "logs": ["-f --follow"],
    "exec": [],
}


def positional(words: Sequence[str]) -> list[str]:
    """The words of a helm command that are neither flags nor their values."""
    found, value = [], False
    for word in words:
        if not word.startswith("-") and not value:
            found.append(word)
        value = word in {"-f", "--values", "--set", "-n", "--namespace", "--timeout", "--version"}
    return found


def names_of(group: click.Group) -> set[str]:
    """Names of the commands of a group and of the groups in it."""
    found = set(group.commands)
    for command in group.commands.values():
        if isinstance(command, click.Group):
            found |= names_of(command)
    return found


def make(words: list[str]) -> None:
    """Every target of make is in the Makefile."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(words) <= set(re.findall(r"^([a-z-]+):.*##", text, re.MULTILINE))


def curl(words: list[str]) -> None:
    """What is asked for is served, on the port that is forwarded."""
    (address,) = [word for word in words if word.startswith("http")]
    match = ADDRESS.fullmatch(address)
    assert match, address
    assert match[1] in PATHS, address


@cache
def helm_flags(helm: str, verb: str) -> frozenset[str]:
    """The flags that a Helm knows for a verb."""
    told = run(helm, verb, "--help").stdout
    found = re.findall(r"^\s+(?:(-\w), )?(--[\w-]+)", told, re.MULTILINE)
    return frozenset(flag for pair in found for flag in pair if flag)


def parsed(command: click.Command, name: str, words: list[str]) -> dict[str, Any]:
    """What the real command makes of its words; a file need not be there."""
    if isinstance(command, click.Group) and words:
        group = click.Context(command, info_name=name)
        if words[0] not in command.commands and "show" in command.commands:
            words = ["show", *words]
        sub, found, rest = command.resolve_command(group, list(words))
        if found is not None:
            return parsed(found, f"{name} {sub}", rest)
    try:
        return command.make_context(name, list(words)).params
    except click.exceptions.Exit:  # --help
        return {}
    except click.UsageError as error:
        if not (isinstance(error, click.BadParameter) and "does not exist" in error.message):
            raise AssertionError(f"{name} {words}: {error.message}") from error
        return {}

"""Attacks on what is read and written: links, absolute paths, pipes and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.contents import Files, Link, Pipe, Source
from tests.sources.manifest_examples import ALPHA, ENGINE

if TYPE_CHECKING:
    from random import Random

SERVE = "trtllm-serve openai/gpt-oss-120b --port 8000"
DEPLOY = f"{ENGINE}---\n{ALPHA}".encode()
COMPOSE = """\
services:
  w:
    image: nvcr.io/nvidia/tensorrt-llm/release:1.2.0
    command: trtllm-serve openai/gpt-oss-120b --extra_llm_api_options /x.yaml
"""
OUT = (
    "../outside/engine.yaml",
    "../outside/notes.txt",
    "../outside/./engine.yaml",
    "$PWD/../outside/engine.yaml",
    "~/.config/gh/hosts.yml",
    "~/.docker/config.json",
    "link.yaml",
    "folder/engine.yaml",
    "/proc/self/environ",
)
LINKS: Files = {"link.yaml": Link("../outside/engine.yaml"), "folder": Link("../outside")}


def links_in(random: Random) -> Source:
    """Something names a file that lies outside, or is a link to it, to be read or fixed."""
    out = random.choice(OUT)
    engine = b"max_batch_size: 64\n"
    forms: dict[str, tuple[Files, tuple[str, ...]]] = {
        "script": (
            {"serve.sh": f"{SERVE} --extra_llm_api_options {out}\n".encode()},
            ("serve.sh",),
        ),
        "source": (
            {"serve.sh": f". {out}\nbash {out}\n{SERVE} --x $MODEL\n".encode()},
            ("serve.sh",),
        ),
        "reads": (
            {"serve.sh": f'X=$(cat {out})\n{SERVE} --x "$X" $(<{out})\n'.encode()},
            ("serve.sh",),
        ),
        "volume": (
            {"compose.yaml": _compose(f"    volumes: ['{out}:/x.yaml']\n")},
            ("compose.yaml",),
        ),
        "folder": ({"compose.yaml": _compose("    volumes: ['folder:/']\n")}, ("compose.yaml",)),
        "config": (
            {
                "compose.yaml": _compose("    configs: [{source: c, target: /x.yaml}]\n")
                + f"configs: {{c: {{file: '{out}'}}}}\n".encode()
            },
            ("compose.yaml",),
        ),
        "env file": ({"compose.yaml": _compose(f"    env_file: ['{out}']\n")}, ("compose.yaml",)),
        "extends": (
            {"compose.yaml": _compose(f"    extends: {{file: '{out}', service: w}}\n")},
            ("compose.yaml",),
        ),
        "include": ({"compose.yaml": _compose(f"include: ['{out}']\n")}, ("compose.yaml",)),
        ".env": (
            {
                "compose.yaml": _compose("    environment: {A: '${MODEL} ${TP}'}\n"),
                ".env": Link("../outside/.env"),
            },
            ("compose.yaml",),
        ),
        ".gptoss.yaml": (
            {".gptoss.yaml": Link("../outside/notes.txt"), "decode.yaml": engine},
            ("decode.yaml",),
        ),
        "pyproject.toml": (
            {"pyproject.toml": Link("../outside/notes.txt"), "decode.yaml": engine},
            ("decode.yaml",),
        ),
        "engineConfig": (
            {
                "mine.yaml": b"target: agg-gb200\nworkers:\n  worker: {engineConfig: "
                + f"'{out}'}}\n".encode()
            },
            ("mine.yaml",),
        ),
        "given": ({"serve.sh": Link("../outside/serve.sh")}, ("link.yaml", "serve.sh")),
        "in folder": ({"deploy.yaml": DEPLOY}, (".",)),
        "folder given": ({}, ("folder",)),
        "docker": (
            {
                "run.sh": f"docker run -v {out}:/x.yaml --env-file {out} image {SERVE} "
                "--extra_llm_api_options /x.yaml\n".encode()
            },
            ("run.sh",),
        ),
        "kustomization": (
            {
                "kustomization.yaml": f"resources: ['{out}']\nconfigMapGenerator: "
                f"[{{name: x, files: ['{out}']}}]\n".encode(),
                "deploy.yaml": DEPLOY,
            },
            (".",),
        ),
        "application": (
            {
                "app.yaml": b"apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
                b"metadata: {name: x}\nspec: {source: {path: charts/gpt-oss, repoURL: x, helm: "
                b"{valueFiles: ['" + out.encode() + b"', '../../../outside/values.yaml']}}}\n"
            },
            ("app.yaml",),
        ),
    }
    files, words = forms[random.choice(sorted(forms))]
    return Source("", {**LINKS, **files}, words)


def links_out(random: Random) -> Source:
    """Output goes where a link of the checkout leads."""
    files: Files = {
        "deploy.yaml": DEPLOY,
        "report.sarif": Link("../outside/report.sarif"),
        "new.json": Link("../outside/new.json"),
        "to": Link("../outside"),
        "r/engine": Link("../../outside"),
        "r/launch.sh": Link("../../outside/serve.sh"),
        "r/compose.yaml": Link("../../outside/values.yaml"),
        "r/manifests.yaml": Link("../../outside/values.yaml"),
    }
    file = random.choice(("report.sarif", "new.json", "to/report.json", "to/new.sarif"))
    form = random.choice(("compose", "shell", "manifests", "kustomize", "values"))
    argv = random.choice(
        (
            (
                "check",
                "deploy.yaml",
                "--format",
                random.choice(("sarif", "json")),
                "--output",
                file,
            ),
            ("import", "deploy.yaml", "--gpu", "gb200", "--output", file),
            ("render", "agg-gb200", "--as", form, "--output", random.choice(("r", "to", "to/x"))),
            ("render", "agg-gb200", "--as", form, "--force", "--output", "r"),
            ("bench", "report", "runs", "--output", file),
            ("check", "link.yaml", "--gpu", "b200", "--fix"),
            ("upgrade", "link.yaml", "to/engine.yaml", "--to", "1.6.1", "--write"),
        )
    )
    return Source("", {**LINKS, **files}, (), argv=argv)


def pipes(random: Random) -> Source:
    """A pipe or a device where a file is expected."""
    what = random.choice(
        (Pipe(), Link("/dev/zero"), Link("/dev/full"), Link("/proc/kmsg"), Link("/dev/stdin"))
    )
    forms: dict[str, tuple[Files, tuple[str, ...]]] = {
        "given": ({"a.yaml": what}, ("a.yaml",)),
        "folder": ({"a.yaml": what, "b.sh": what, "deploy.yaml": DEPLOY}, (".",)),
        "script": ({"serve.sh": f"{SERVE} --config x\n. ./x\n".encode(), "x": what}, ("serve.sh",)),
        "device": (
            {"serve.sh": f"{SERVE} --config /dev/zero < /proc/kmsg\n".encode()},
            ("serve.sh",),
        ),
        ".env": ({"compose.yaml": _compose(""), ".env": what}, ("compose.yaml",)),
        "env file": ({"compose.yaml": _compose("    env_file: x\n"), "x": what}, ("compose.yaml",)),
        ".gptoss.yaml": ({".gptoss.yaml": what, "deploy.yaml": DEPLOY}, ("deploy.yaml",)),
        "pyproject.toml": ({"pyproject.toml": what, "deploy.yaml": DEPLOY}, ("deploy.yaml",)),
        "prices": ({"p": what, "deploy.yaml": DEPLOY}, ("deploy.yaml",)),
    }
    files, words = forms[random.choice(sorted(forms))]
    argv = ("plan", *words, "--prices", "p") if "p" in files else ()
    return Source("", files, words, argv=argv)


def _compose(more: str) -> bytes:
    return f"{COMPOSE}{more}".encode()

"""Family placement, on machines without Kubernetes: does each container get GPUs of its own?"""

from __future__ import annotations

from gptoss.rules.rule import ANY, ANYWHERE, CONTAINERS, Severity, rule


@rule(
    "L020",
    "gpu-given-twice",
    Severity.WARNING,
    reports="gpu-shared",
    hint="give each service GPUs of its own",
    runtimes=ANY,
    platforms=CONTAINERS,
)
def gpu_given_twice() -> None:
    """Two services have the same GPU.

    Docker gives it to both. The one that starts first takes most of the free memory for its KV
    cache, and the other one does not find room for its weights.
    """


@rule(
    "L021",
    "gpu-beyond-machine",
    Severity.WARNING,
    reports="gpu-beyond-machine",
    hint="run some services on another machine",
    runtimes=ANY,
    platforms=CONTAINERS,
)
def gpu_beyond_machine() -> None:
    """A service has a GPU that a machine with this kind of GPU does not have.

    Docker refuses to start the container, unless the machine is an unusual one.
    """


@rule(
    "L022",
    "compose-not-read",
    Severity.INFO,
    reports="not-read",
    hint="check it in one piece: docker compose config, or kustomize build OVERLAY, "
    "| gptoss check -",
    runtimes=ANY,
    platforms=ANYWHERE,
    engine_only=True,
)
def compose_not_read() -> None:
    """Something is taken from elsewhere, which is not checked.

    Variables of an ``env_file``, services of another compose file, and what a kustomize overlay
    changes, may set what the rules judge.
    """


@rule(
    "L023",
    "file-outside",
    Severity.INFO,
    reports="outside",
    hint="give it along, or keep it beside what names it",
    runtimes=ANY,
    platforms=ANYWHERE,
    engine_only=True,
)
def file_outside() -> None:
    """A file that is named, or a link of a folder, lies outside and is not read.

    What lies outside the repository, or the folder, of what names it is never opened, nor is a
    hidden file: a change could have any file of the machine that checks it printed. An engine file
    that is not read may set what the rules judge.
    """

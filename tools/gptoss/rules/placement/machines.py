"""Family placement, on machines without Kubernetes: does each container get GPUs of its own?"""

from __future__ import annotations

from gptoss.rules.rule import ANY, CONTAINERS, Severity, rule

COMPOSE = "github.com/compose-spec/compose-spec"


@rule(
    "L020",
    "gpu-given-twice",
    Severity.WARNING,
    reports="gpu-shared",
    hint="give each service GPUs of its own",
    runtimes=ANY,
    platforms=CONTAINERS,
    source=f"{COMPOSE} deploy.md (device_ids); NVIDIA/TensorRT-LLM 1.3.0rc14 llm_args.py "
    "KvCacheConfig @c502768 (free_gpu_memory_fraction is of what is free)",
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
    source="schema/hardware.yaml (gpusPerNode)",
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
    hint="docker compose config | gptoss check - checks everything in one piece",
    runtimes=ANY,
    platforms=CONTAINERS,
    source=f"{COMPOSE} 05-services.md (env_file, extends), 14-include.md",
)
def compose_not_read() -> None:
    """A compose file takes something from elsewhere, which is not checked.

    Variables of an ``env_file`` and services of another file may set what the rules judge.
    """

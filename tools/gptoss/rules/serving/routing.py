"""Does the router get what it routes by?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import InForce
from gptoss.deployment.model import Role
from gptoss.rules.precedence.flags_and_yaml import publishes_events
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import FRONTEND, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Frontend, Worker
    from gptoss.facts.world import Facts, Release
    from gptoss.text.places import Place


@rule(
    "S008",
    "kv-router-without-events",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def kv_router_without_events(
    worker: Worker, release: Release, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """The frontend routes by KV cache contents, but a worker publishes none.

    The router waits for events that never come and routes as if every cache were empty.
    """
    frontend = deployment.frontend
    mode = _router_mode(deployment)
    if frontend is None or frontend.arguments is None or mode is None:
        return
    if frontend.arguments["--router-kv-events"].value is not True:
        return
    if worker.role is Role.DECODE or publishes_events(worker, facts):
        return
    yield Said(
        worker.command,
        f"no KV events are published, but {frontend.name} routes by them (--router-mode kv)",
        f"add {release.kv_events_flag}, or give the frontend --no-router-kv-events",
        also=[(mode, "--router-mode kv")],
    )


@rule(
    "S009",
    "kv-router-without-block-reuse",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    needs=(Need.ENGINE,),
)
def kv_router_without_block_reuse(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The frontend routes by KV cache contents, but a worker reuses no blocks.

    With enable_block_reuse false there is nothing to route to: a prompt costs the same everywhere.
    """
    mode = _router_mode(deployment)
    if mode is None:
        return
    reuse = worker.engine["kv_cache_config.enable_block_reuse"]
    if worker.role is not Role.DECODE and reuse.value is False:
        yield Said(
            reuse,
            "enable_block_reuse is false, so --router-mode kv has nothing to route by",
            "write enable_block_reuse: true, or use --router-mode round-robin",
            also=[(mode, "--router-mode kv")],
        )


@rule(
    "S016",
    "router-block-size-differs",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    needs=(Need.ENGINE,),
)
def router_block_size_differs(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """The router is given another KV block size than the workers use.

    It finds a prompt in a cache by the hashes of its blocks. Blocks of another size have other
    hashes, so nothing is ever found, and nothing says so. Workers register their size; the flag is
    not needed.
    """
    size = _frontend_value(deployment, "--kv-cache-block-size")
    if not isinstance(size.value, int) or not size.place or _router_mode(deployment) is None:
        return
    block = worker.engine.whole("kv_cache_config.tokens_per_block")
    if worker.role is not Role.DECODE and block and block != size.value:
        setting = worker.engine["kv_cache_config.tokens_per_block"]
        yield Said(
            size.place,
            f"the router counts blocks of {size.value} tokens, but the worker has blocks of "
            f"{block}",
            "remove --kv-cache-block-size; workers register their own",
            also=[(setting, f"tokens_per_block is {block}")] if setting.is_set else [],
        )


@rule(
    "S017",
    "routers-not-in-step",
    Severity.INFO,
    of=FRONTEND,
    runtimes=DYNAMO,
)
def routers_not_in_step(frontend: Frontend, deployment: Deployment) -> Iterator[Said]:
    """Several frontends route by KV cache without telling each other what they sent where.

    Each knows the caches from the workers' events, but the load only from its own requests, and so
    sends to workers that the others keep busy.
    """
    mode = _router_mode(deployment)
    if mode is None or frontend.replica_count < 2:
        return
    if _frontend_value(deployment, "--router-replica-sync").value is False:
        yield Said(
            mode,
            f"{frontend.replica_count} replicas route by KV cache without --router-replica-sync",
            "add --router-replica-sync",
        )


def _frontend_value(deployment: Deployment, flag: str) -> InForce:
    """What a flag of the frontend is set to; nothing where no command is known."""
    arguments = deployment.frontend.arguments if deployment.frontend else None
    return arguments[flag] if arguments else InForce()


def _router_mode(deployment: Deployment) -> Place | None:
    """Where the frontend is told to route by KV cache, or None when it is not."""
    mode = _frontend_value(deployment, "--router-mode")
    return mode.place if mode.value == "kv" else None

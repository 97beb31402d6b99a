"""Does the router get what it routes by?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.findings import Need, Said, Severity, rule
from gptoss.model import Role
from gptoss.rules._common import is_true
from gptoss.rules.precedence import EVENT_FLAGS, EVENT_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts import Facts
    from gptoss.model import Deployment
    from gptoss.places import Located


@rule(
    "S008",
    "kv-router-without-events",
    Severity.WARNING,
    source="ai-dynamo wheel 1.2.1 dynamo/frontend/frontend_args.py (--router-kv-events is on by "
    "default) and dynamo/trtllm/backend_args.py",
    bad="""
    # worker.yaml
    stream_interval: 20
    ---
    # frontend flags
    --router-mode kv
    """,
    good="""
    # worker flags
    --publish-events-and-metrics
    ---
    # frontend flags
    --router-mode kv
    """,
    near="""
    # worker.yaml
    stream_interval: 20
    ---
    # frontend flags
    --router-mode kv --no-router-kv-events
    """,
    needs=(Need.RELEASE,),
)
def kv_router_without_events(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The frontend routes by KV cache contents, but a worker publishes none.

    The router waits for events that never come and routes as if every cache were empty.
    """
    frontend, release = deployment.frontend, deployment.release
    mode = _router_mode(deployment)
    if frontend is None or frontend.command is None or release is None or mode is None:
        return
    if frontend.command.flag("--no-router-kv-events", "--no-kv-events"):
        return
    for worker in deployment.workers:
        by_variable = any(is_true(worker.pod.variable(name)) for name in EVENT_VARIABLES)
        if worker.role is Role.DECODE or by_variable or worker.command.flag(*EVENT_FLAGS):
            continue
        yield Said(
            worker.command,
            f"{worker.name} publishes no KV events, but {frontend.name} routes by them "
            "(--router-mode kv)",
            f"add {release.kv_events_flag}, or give the frontend --no-router-kv-events",
            also=[(mode, "--router-mode kv")],
        )


@rule(
    "S009",
    "kv-router-without-block-reuse",
    Severity.WARNING,
    source="ai-dynamo wheel 1.6.1 dynamo/trtllm (no KV events without block reuse)",
    bad="""
    # also: K005
    # worker.yaml
    kv_cache_config:
      enable_block_reuse: false
    ---
    # worker flags
    --publish-events-and-metrics
    ---
    # frontend flags
    --router-mode kv
    """,
    good="""
    # worker flags
    --publish-events-and-metrics
    ---
    # frontend flags
    --router-mode kv
    """,
    needs=(Need.ENGINE,),
)
def kv_router_without_block_reuse(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The frontend routes by KV cache contents, but a worker reuses no blocks.

    With enable_block_reuse false there is nothing to route to: a prompt costs the same everywhere.
    """
    mode = _router_mode(deployment)
    if mode is None:
        return
    for worker in deployment.workers:
        reuse = worker.engine["kv_cache_config.enable_block_reuse"]
        if worker.role is not Role.DECODE and reuse.value is False:
            yield Said(
                reuse,
                f"{worker.name}: enable_block_reuse is false, so --router-mode kv has nothing to "
                "route by",
                "write enable_block_reuse: true, or use --router-mode round-robin",
                also=[(mode, "--router-mode kv")],
            )


def _router_mode(deployment: Deployment) -> Located[str] | None:
    """Where the frontend is told to route by KV cache, or None when it is not."""
    frontend = deployment.frontend
    mode = frontend.command.flag("--router-mode") if frontend and frontend.command else None
    return mode if mode and mode.value == "kv" else None

"""Will clients get what they ask for under the name they know?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.findings import Need, Said, Severity, rule
from gptoss.rules._common import (
    is_path,
    is_true,
    needed_model,
    pairs,
    public_name,
    text_of,
    variable,
)
from gptoss.rules.precedence import EVENT_FLAGS, EVENT_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.facts import Facts
    from gptoss.model import Deployment, Worker
    from gptoss.places import Located
    from gptoss.pods import Variable

REASONING = ("--dyn-reasoning-parser", "DYN_REASONING_PARSER")
TOOLS = ("--dyn-tool-call-parser", "DYN_TOOL_CALL_PARSER")
PARSERS = "ai-dynamo/dynamo #3262; docs/backends/trtllm/gpt-oss.md"
VOCABULARY_VARIABLES = ("TIKTOKEN_ENCODINGS_BASE", "TIKTOKEN_RS_CACHE_DIR")


def _parser(
    deployment: Deployment, worker: Worker, names: tuple[str, str]
) -> Located[str] | Variable | None:
    """Who names a parser: the flag, else the variable."""
    flag, name = names
    return worker.command.flag(flag) or variable(deployment, worker, name)


@rule(
    "S001",
    "reasoning-parser-missing",
    Severity.WARNING,
    source=PARSERS,
    bad="""
    # worker flags removed
    --dyn-reasoning-parser
    """,
    good="""
    # worker flags
    --dyn-reasoning-parser gpt_oss
    """,
    near="""
    # worker flags removed
    --dyn-reasoning-parser
    ---
    # worker env
    DYN_REASONING_PARSER: gpt_oss
    """,
    needs=(Need.MODEL,),
)
def reasoning_parser_missing(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A worker has no reasoning parser.

    gpt-oss writes its reasoning and its answer in channels of one text. Without the parser clients
    get both, with the channel markup, as the answer. Prefill and decode workers both need it.
    """
    model = needed_model(deployment)
    yield from _missing_parser(deployment, REASONING, model.reasoning_parser)


@rule(
    "S002",
    "tool-call-parser-missing",
    Severity.WARNING,
    source=PARSERS,
    bad="""
    # worker flags removed
    --dyn-tool-call-parser
    """,
    good="""
    # worker flags
    --dyn-tool-call-parser harmony
    """,
    needs=(Need.MODEL,),
)
def tool_call_parser_missing(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A worker has no tool call parser.

    Tool calls then stay in the text of the answer and tool_calls is empty: agents stop working
    although every response has status 200.
    """
    model = needed_model(deployment)
    yield from _missing_parser(deployment, TOOLS, model.tool_call_parser)


def _missing_parser(
    deployment: Deployment, names: tuple[str, str], expected: str
) -> Iterator[Said]:
    for worker in deployment.workers:
        if _parser(deployment, worker, names) is None:
            yield Said(
                worker.command,
                f"{worker.name} has no {names[0]}, so clients get raw channel markup",
                f"add {names[0]} {expected}",
            )


@rule(
    "S003",
    "parser-of-another-model",
    Severity.ERROR,
    source=f"{PARSERS}; parser names of the ai-dynamo-runtime wheels 1.0.2 to 1.4.2",
    bad="""
    # worker flags
    --dyn-reasoning-parser gpt-oss
    """,
    good="""
    # worker flags
    --dyn-reasoning-parser gpt_oss
    """,
    near="""
    # worker flags
    --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony
    """,
    needs=(Need.MODEL,),
)
def parser_of_another_model(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The reasoning or tool call parser is not the one that understands gpt-oss.

    gpt_oss and harmony are the only names that read its channels. A name that Dynamo does not know
    (gpt-oss, openai) stops the worker; the parser of another model finds nothing in the text.
    """
    model = needed_model(deployment)
    expected = ((REASONING, model.reasoning_parser), (TOOLS, model.tool_call_parser))
    for worker in deployment.workers:
        for names, wanted in expected:
            parser = _parser(deployment, worker, names)
            if parser is not None and parser.value not in (wanted, None):
                yield Said(
                    parser,
                    f"{worker.name}: {names[0]} {parser.value} does not understand {model.id}",
                    f"write {names[0]} {wanted}",
                )


@rule(
    "S004",
    "harmony-vocabulary-missing",
    Severity.WARNING,
    source="ai-dynamo/dynamo #15155; openai-harmony 0.0.3 (TIKTOKEN_ENCODINGS_BASE)",
    bad="""
    # frontend env
    TIKTOKEN_ENCODINGS_BASE: null
    """,
    good="""
    # frontend env
    TIKTOKEN_ENCODINGS_BASE: /opt/models/vocabulary
    """,
    near="""
    # frontend env
    TIKTOKEN_ENCODINGS_BASE: null
    TIKTOKEN_RS_CACHE_DIR: /opt/models/tiktoken
    """,
    needs=(Need.MODEL,),
)
def harmony_vocabulary_missing(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The frontend has no copy of the harmony vocabulary.

    Its parsers load o200k_base.tiktoken when the first request comes. If it cannot be downloaded
    then, every response still has status 200, with raw channel markup and without tool calls, and
    the log says next to nothing.
    """
    frontend, model = deployment.frontend, deployment.model
    if frontend is None or model is None or model.tool_call_parser != "harmony":
        return
    if not any(variable(deployment, frontend, name) for name in VOCABULARY_VARIABLES):
        yield Said(
            frontend.command or frontend,
            f"{frontend.name} has no TIKTOKEN_ENCODINGS_BASE, so it downloads the harmony "
            "vocabulary at the first request and parses nothing when it cannot",
            "put o200k_base.tiktoken into the model cache and set TIKTOKEN_ENCODINGS_BASE to its "
            "folder",
        )


@rule(
    "S005",
    "name-differs-from-benchmark",
    Severity.ERROR,
    source="ai-dynamo/dynamo #8133 (404 for a name that no worker registers)",
    bad="""
    # benchmark flags
    --model gpt-oss-120b
    """,
    good="""
    # benchmark flags
    --model openai/gpt-oss-120b
    """,
)
def name_differs_from_benchmark(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """The benchmark asks for a model name that no worker serves.

    The frontend answers 404 for every request, after the deployment was started and waited for.
    """
    benchmark = deployment.benchmark
    asked = benchmark.command.flag(*MODEL_FLAGS) if benchmark and benchmark.command else None
    names = [public_name(worker) for worker in deployment.workers]
    served = [name for name in names if name is not None]
    if asked is None or not asked.value or len(served) < len(names) or not served:
        return
    if asked.value not in {name.value for name in served} and "$" not in asked.value:
        yield Said(
            asked,
            f"the benchmark asks for model {asked.value!r}, but the workers serve "
            f"{served[0].value!r}",
            f"write --model {served[0].value}",
            also=[(served[0], f"served as {served[0].value}")],
        )


MODEL_FLAGS = ("--model", "--model-names")


@rule(
    "S006",
    "roles-serve-different-names",
    Severity.ERROR,
    source="ai-dynamo wheel 1.2.1 dynamo/trtllm/workers/llm_worker.py (prefill registers under the "
    "model's name)",
    bad="""
    # prefill flags
    --served-model-name gpt-oss-120b
    """,
    good="""
    # prefill flags
    --served-model-name openai/gpt-oss-120b
    """,
)
def roles_serve_different_names(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """Prefill and decode workers serve different model names.

    The frontend pairs them by name: prefill workers of another name are never used.
    """
    for prefill, decode in pairs(deployment):
        ours, theirs = public_name(prefill), public_name(decode)
        if ours and theirs and ours.value != theirs.value:
            yield Said(
                ours,
                f"{prefill.name} serves {ours.value!r} but {decode.name} serves {theirs.value!r}, "
                "so they are never paired",
                f"write --served-model-name {theirs.value} on both",
                also=[(theirs, f"{decode.name} serves {theirs.value}")],
            )


@rule(
    "S007",
    "served-under-a-path",
    Severity.WARNING,
    source="ai-dynamo/dynamo #8133",
    bad="""
    # also: S005
    # worker flags removed
    --served-model-name
    """,
    good="""
    # worker flags
    --served-model-name openai/gpt-oss-120b
    """,
    near="""
    # worker flags removed
    --served-model-name
    ---
    # worker env
    DYN_TRTLLM_SERVED_MODEL_NAME: openai/gpt-oss-120b
    """,
)
def served_under_a_path(deployment: Deployment, _facts: Facts) -> Iterator[Said]:
    """A worker loads the model from a path and gives it no public name.

    The path becomes the name, and clients that ask for the model by its id get 404.
    """
    for worker in deployment.workers:
        if worker.served_name is None and worker.model and is_path(worker.model.value):
            yield Said(
                worker.model,
                f"{worker.name} serves the model under the name {worker.model.value!r}",
                "add --served-model-name with the name that clients use",
            )


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
        by_variable = any(is_true(text_of(deployment, worker, name)) for name in EVENT_VARIABLES)
        if worker.role == "decode" or by_variable or worker.command.flag(*EVENT_FLAGS):
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
        if worker.role != "decode" and reuse.value is False:
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

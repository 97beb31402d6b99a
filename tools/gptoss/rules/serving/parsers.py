"""Are reasoning and tool calls taken out of the model's text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import unresolved
from gptoss.deployment.model import Runtime
from gptoss.rules.fixes import add_flag
from gptoss.rules.readings import TOOL_CALL_PARSER, is_hub_id, is_path, offline_switch
from gptoss.rules.right_answers import given_value, more_flags
from gptoss.rules.rule import DYNAMO, KUBERNETES, Need, Said, Severity, rule
from gptoss.rules.subjects import ENTRANCES, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.model import Deployment, Frontend, Worker
    from gptoss.facts.world import Facts, Model

REASONING, TOOLS = "--dyn-reasoning-parser", TOOL_CALL_PARSER
VOCABULARY_VARIABLES = ("TIKTOKEN_ENCODINGS_BASE", "TIKTOKEN_RS_CACHE_DIR")
VOCABULARY = "o200k_base"
# With it trtllm-serve reads the channels by no vocabulary.
WITHOUT_HARMONY = "DISABLE_HARMONY_ADAPTER"


@rule(
    "S001",
    "reasoning-parser-missing",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.MODEL,),
)
def reasoning_parser_missing(worker: Worker, model: Model) -> Iterator[Said]:
    """A worker has no reasoning parser.

    gpt-oss writes its reasoning and its answer in channels of one text. Without the parser clients
    get both, with the channel markup, as the answer. Prefill and decode workers both need it. Where
    there is no tool call parser either, this says so too.
    """
    missing = [
        f"{flag} {expected}"
        for flag, expected in ((REASONING, model.reasoning_parser), (TOOLS, model.tool_call_parser))
        if worker.arguments[flag].place is None
    ]
    if missing and missing[0].startswith(REASONING):
        names = " and no ".join(flag.partition(" ")[0] for flag in missing)
        yield Said(
            worker.command,
            f"there is no {names}, so clients get raw channel markup",
            f"add {' '.join(missing)}",
            fix=more_flags(worker, missing),
        )


@rule(
    "S002",
    "tool-call-parser-missing",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.MODEL,),
)
def tool_call_parser_missing(worker: Worker, model: Model) -> Iterator[Said]:
    """A worker has a reasoning parser and no tool call parser.

    Tool calls then stay in the text of the answer and tool_calls is empty: agents stop working
    although every response has status 200.
    """
    if worker.arguments[REASONING].place and worker.arguments[TOOLS].place is None:
        yield Said(
            worker.command,
            f"there is no {TOOLS}, so tool calls stay in the text",
            f"add {TOOLS} {model.tool_call_parser}",
            fix=add_flag(worker.command.place, TOOLS, model.tool_call_parser),
        )


@rule(
    "S003",
    "parser-of-another-model",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
    fixable=True,
    needs=(Need.MODEL, Need.RELEASE),
)
def parser_of_another_model(worker: Worker, model: Model) -> Iterator[Said]:
    """The reasoning or tool call parser is that of another model.

    gpt_oss and harmony are the only ones that read the channels of gpt-oss. Any other finds nothing
    in the text, so reasoning and tool calls stay in the answer, and every response has status 200.
    A name that the release does not have at all stops the worker, which R013 reports.
    """
    for flag, wanted in ((REASONING, model.reasoning_parser), (TOOLS, model.tool_call_parser)):
        parser = worker.arguments[flag]
        if parser.place and parser.value not in (wanted, None) and _is_known(parser):
            yield Said(
                parser.place,
                f"{parser.spelling} {parser.value} does not understand {model.id}",
                f"write {wanted}",
                fix=given_value(parser, wanted),
            )


@rule(
    "S033",
    "harmony-parser-of-another-model",
    Severity.WARNING,
    of=WORKERS,
    runtimes=DYNAMO,
)
def harmony_parser_of_another_model(worker: Worker) -> Iterator[Said]:
    """A parser of gpt-oss reads what another model writes.

    Only gpt-oss writes harmony's channels. Its parsers find none in another model's text, and
    answers come out empty or whole in reasoning_content.
    """
    named = [each.value.lower() for each in (worker.model, worker.served_name) if each]
    if not worker.model or not is_hub_id(worker.model.value):
        return
    if any("gpt-oss" in each or "gpt_oss" in each for each in named):
        return
    for flag, own in ((REASONING, "gpt_oss"), (TOOLS, "harmony")):
        parser = worker.arguments[flag]
        if parser.place and parser.value == own:
            yield Said(
                parser.place,
                f"{parser.spelling} {own} reads the channels of gpt-oss, but the model is "
                f"{worker.model.value}",
                f"name the parser of {worker.model.value}, or leave the flag out",
                also=[(worker.model, f"the model is {worker.model.value}")],
            )


def _is_known(parser: InForce) -> bool:
    """Whether the release has a parser; a variable's name is not compared at the start."""
    if not parser.given or not parser.flag or not parser.flag.choices:
        return True
    return parser.value in parser.flag.choices or unresolved(parser.value)


@rule(
    "S004",
    "harmony-vocabulary-missing",
    Severity.WARNING,
    of=ENTRANCES,
    needs=(Need.MODEL,),
)
def harmony_vocabulary_missing(
    entrance: Frontend | Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    """The deployment is offline and what answers HTTP has no copy of the harmony vocabulary.

    Its parsers load o200k_base.tiktoken when the first request comes. If it cannot be downloaded
    then, every response of Dynamo still has status 200, with raw channel markup and without tool
    calls, and the log says next to nothing; trtllm-serve answers every chat request with 400.
    """
    if _is_offline(deployment):
        yield from _without_vocabulary(entrance, model, deployment)


@rule(
    "S028",
    "harmony-vocabulary-downloaded",
    Severity.INFO,
    of=ENTRANCES,
    needs=(Need.MODEL,),
)
def harmony_vocabulary_downloaded(
    entrance: Frontend | Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    """What answers HTTP downloads the harmony vocabulary at the first request.

    Where it cannot, trtllm-serve answers every chat request with 400, and Dynamo's frontend leaves
    reasoning and tool calls in the text, with status 200.
    """
    if not _is_offline(deployment):
        yield from _without_vocabulary(entrance, model, deployment)


@rule(
    "S035",
    "harmony-vocabulary-not-mounted",
    Severity.WARNING,
    of=ENTRANCES,
    platforms=KUBERNETES,
    needs=(Need.MODEL,),
)
def harmony_vocabulary_not_mounted(
    entrance: Frontend | Worker, model: Model, deployment: Deployment, facts: Facts
) -> Iterator[Said]:
    """The harmony vocabulary is looked for in a folder that no volume is mounted at.

    NVIDIA's images are not known to hold it. With TIKTOKEN_ENCODINGS_BASE set nothing is downloaded
    instead: Dynamo answers with status 200, raw channel markup and no tool calls, trtllm-serve with
    400.
    """
    folder, image = entrance.pod.environment.get(VOCABULARY_VARIABLES[0]), entrance.pod.image
    if model.tool_call_parser != "harmony" or folder is None or image is None:
        return
    if not image.value.startswith((f"{facts.image}:", facts.serve_image)):
        return
    if any(VOCABULARY in command.line for command in entrance.pod.commands):
        return
    if is_path(folder.value or "") and entrance.pod.mount_at(folder.value or "") is None:
        yield Said(
            folder,
            f"{folder.name} is {folder.value}, where no volume is mounted, so "
            f"{_without_it(deployment)}",
            "mount the folder that holds o200k_base.tiktoken, or write its path below a mount",
        )


def _without_it(deployment: Deployment) -> str:
    serve = deployment.runtime is Runtime.SERVE
    return "chat is answered with 400" if serve else "nothing is parsed"


def _is_offline(deployment: Deployment) -> bool:
    """Whether somebody of the deployment is to do without the network."""
    return any(
        offline_switch(component.pod.environment.values()) for component in deployment.components
    )


def _without_vocabulary(
    entrance: Frontend | Worker, model: Model, deployment: Deployment
) -> Iterator[Said]:
    if model.tool_call_parser != "harmony" or entrance.pod.variable(WITHOUT_HARMONY) == "1":
        return
    if any(entrance.pod.environment.get(name) for name in VOCABULARY_VARIABLES):
        return
    yield Said(
        entrance.command or entrance,
        "TIKTOKEN_ENCODINGS_BASE is not set, so the harmony vocabulary is downloaded at the first "
        f"request, and {_without_it(deployment)} when that fails",
        "put o200k_base.tiktoken into the model cache and set TIKTOKEN_ENCODINGS_BASE to its "
        "folder",
    )

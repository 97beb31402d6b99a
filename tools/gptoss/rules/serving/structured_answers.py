"""Is structured output enforced where it is asked for, and what does it do to harmony?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.extra_inputs import extra_inputs
from gptoss.rules.benchmark.request_fields import RESPONSE_FORMATS
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import DECODING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.world import Model
    from gptoss.text.places import HasPlace

BACKEND = "guided_decoding_backend"
TAGS = "--dyn-enable-structural-tag"


@rule(
    "S030",
    "structured-output-not-enforced",
    Severity.WARNING,
    of=DECODING,
    needs=(Need.ENGINE,),
)
def structured_output_not_enforced(worker: Worker, deployment: Deployment) -> Iterator[Said]:
    """Structured output is asked for and the engine has no ``guided_decoding_backend``.

    Requests with response_format are answered with status 200 and free text: the engine drops the
    constraint without a word.
    """
    asked = _asked(worker, deployment)
    if asked is not None and worker.engine[BACKEND].value is None:
        yield Said(
            asked[0],
            f"{asked[1]} asks for structured output, but the engine has no {BACKEND}, so nothing "
            "enforces it",
            f"write {BACKEND}: xgrammar in the engine YAML",
        )


@rule(
    "S031",
    "grammar-over-reasoning",
    Severity.INFO,
    of=DECODING,
    runtimes=DYNAMO,
    needs=(Need.ENGINE, Need.MODEL),
)
def grammar_over_reasoning(worker: Worker, model: Model) -> Iterator[Said]:
    """``guided_decoding_backend`` is set for a harmony model under Dynamo.

    trtllm-serve lets the grammar begin with the answer. dynamo.trtllm hands it to the engine as it
    is: from the first token on, where gpt-oss writes the channel of its reasoning. Answers to
    response_format then have no reasoning, or the JSON in the wrong channel. Tool calls by
    structural tags are not concerned.
    """
    backend = worker.engine[BACKEND]
    if model.tool_call_parser != "harmony" or backend.value is None:
        return
    if worker.arguments[TAGS].value is not True:
        yield Said(
            backend,
            f"with {BACKEND} {backend.value} a response_format constrains the reasoning too, not "
            "the answer alone",
            "let clients ask for JSON in the prompt, or check their answers against this release",
        )


def _asked(worker: Worker, deployment: Deployment) -> tuple[HasPlace, str] | None:
    """What asks for structured output, and what it is called."""
    if worker.arguments[TAGS].value is True and (place := worker.arguments[TAGS].located):
        return place, TAGS
    fields = extra_inputs(deployment.benchmark.arguments) if deployment.benchmark else {}
    for name in RESPONSE_FORMATS:
        if name in fields:
            return fields[name].at, f"the benchmark's {name}"
    return None

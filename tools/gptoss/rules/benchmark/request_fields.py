"""Does each request of the benchmark ask for what is meant to be measured?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.facts.world import Facts, Release
    from gptoss.text.places import Located

EXTRA = "--extra-inputs"
# Either makes an answer go on to the length that is asked for.
LENGTH_FORCED = ("ignore_eos", "min_tokens")
# Prompts and lengths of a recording, in which answers end where they ended.
RECORDED = ("--input-file", "--public-dataset", "--custom-dataset-type", "--config")
EXTENSION = "nvext"
# What nvext had before Dynamo 1.3, and what says the same beside it.
FORMER = (
    *("ignore_eos", "top_k", "repetition_penalty", "min_p", "guided_json", "guided_regex"),
    *("guided_choice", "guided_grammar", "guided_decoding_backend", "guided_whitespace_pattern"),
)
EFFORT, UNTOLD = "reasoning_effort", "medium"
RESPONSE_FORMATS = ("response_format", "guided_json", "guided_regex", "guided_choice")


class Asked(NamedTuple):
    """A field of every request: its value as JSON has it, and where it is given."""

    value: object
    at: Located[str]


def request_fields(benchmark: Benchmark) -> dict[str, Asked]:
    """What a benchmark adds to every request, by its name there."""
    found: dict[str, Asked] = {}
    for given in benchmark.arguments.given if benchmark.arguments else ():
        if given.flag.name == EXTRA:
            for word in given.values:
                found |= {name: Asked(value, word) for name, value in _pairs(word.value).items()}
    return found


def _pairs(text: str) -> dict[str, object]:
    """A pair, or the pairs of an object in JSON."""
    read = _read(text)
    if isinstance(read, dict):
        return read
    name, _, value = text.partition(":")
    return {name.strip(): _read(value.strip())}


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@rule(
    "B028",
    "answers-end-early",
    Severity.WARNING,
    of=BENCHMARK,
)
def answers_end_early(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark asks for answers of a length and lets the model end them before.

    The length is only the most that an answer may have. A model that is done stops, so the run
    measures fewer output tokens than it says, and other ones with every change of prompts or
    sampling.
    """
    arguments, length = benchmark.arguments, benchmark.output_tokens
    if arguments is None or length is None or not arguments.complete:
        return
    if any(arguments[flag].place for flag in RECORDED):
        return
    fields = request_fields(benchmark)
    extension = fields[EXTENSION].value if EXTENSION in fields else None
    extended = extension if isinstance(extension, dict) else {}
    if not any(name in fields or name in extended for name in LENGTH_FORCED):
        yield Said(
            length,
            f"answers of {length.value} tokens are asked for, but the model may end each before",
            f"add {EXTRA} ignore_eos:true",
        )


@rule(
    "B029",
    "request-field-refused",
    Severity.ERROR,
    of=BENCHMARK,
    runtimes=DYNAMO,
    needs=(Need.RELEASE,),
)
def request_field_refused(benchmark: Benchmark, release: Release) -> Iterator[Said]:
    """The benchmark sends a field in ``nvext`` that the frontend does not know any more.

    From Dynamo 1.3 on it answers 400 to every such request, so that nothing is measured. Fields of
    sampling stand at the top of the request.
    """
    extension = request_fields(benchmark).get(EXTENSION)
    if extension is None or not isinstance(extension.value, dict):
        return
    refused = [name for name in FORMER if name in extension.value]
    if refused:
        yield Said(
            extension.at,
            f"the frontend of {release.version} answers 400 to every request with "
            f"{quoted(f'{EXTENSION}.{name}' for name in refused)}",
            f"take {quoted(refused)} out of {EXTENSION}, and write "
            f"{'it' if len(refused) == 1 else 'them'} beside it",
        )


@rule(
    "B030",
    "effort-of-requests-ignored",
    Severity.WARNING,
    of=BENCHMARK,
    runtimes=DYNAMO,
    needs=(Need.RELEASE, Need.MODEL),
)
def effort_of_requests_ignored(
    benchmark: Benchmark, release: Release, facts: Facts
) -> Iterator[Said]:
    """The benchmark asks for a reasoning effort that the release's frontend ignores.

    Up to Dynamo 1.2 every answer is written with medium effort, whatever the request says at its
    top, so the run measures another one than it is called after.
    """
    known, asked = facts.known["effort-at-top"], request_fields(benchmark).get(EFFORT)
    if asked is not None and asked.value != UNTOLD and known.is_in(release):
        yield Said(
            asked.at,
            f"release {release.version} ignores {EFFORT} {asked.value} and answers with {UNTOLD}",
            f'write {EXTRA} \'{{"chat_template_kwargs": {{"{EFFORT}": "{asked.value}"}}}}\', or go '
            f"to release {known.right} or newer",
        )

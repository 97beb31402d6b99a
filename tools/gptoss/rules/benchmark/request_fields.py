"""Does each request of the benchmark ask for what is meant to be measured?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.extra_inputs import EXTRA_INPUTS, extra_inputs
from gptoss.rules.readings import quoted
from gptoss.rules.rule import DYNAMO, Need, Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.facts.world import Facts, Release

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
    fields = extra_inputs(benchmark.arguments)
    extension = fields[EXTENSION].value if EXTENSION in fields else None
    extended = extension if isinstance(extension, dict) else {}
    if not any(name in fields or name in extended for name in LENGTH_FORCED):
        yield Said(
            length,
            f"answers of {length.value} tokens are asked for, but the model may end each before",
            f"add {EXTRA_INPUTS} ignore_eos:true",
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
    extension = extra_inputs(benchmark.arguments).get(EXTENSION)
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
    known, asked = facts.known["effort-at-top"], extra_inputs(benchmark.arguments).get(EFFORT)
    if asked is not None and asked.value != UNTOLD and known.is_in(release):
        yield Said(
            asked.at,
            f"release {release.version} ignores {EFFORT} {asked.value} and answers with {UNTOLD}",
            f'write {EXTRA_INPUTS} \'{{"chat_template_kwargs": {{"{EFFORT}": "{asked.value}"}}}}\''
            f", or go to release {known.right} or newer",
        )

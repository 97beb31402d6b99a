"""Is the model served under the name that clients know?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.rules.fixes import set_flag
from gptoss.rules.readings import is_path, public_name
from gptoss.rules.rule import DYNAMO, Said, Severity, rule
from gptoss.rules.subjects import BENCHMARK, PAIRS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.text.places import Located


@rule(
    "S005",
    "name-differs-from-benchmark",
    Severity.ERROR,
    of=BENCHMARK,
    runtimes=DYNAMO,
    fixable=True,
)
def name_differs_from_benchmark(benchmark: Benchmark, deployment: Deployment) -> Iterator[Said]:
    """The benchmark asks for a model name that no worker serves.

    The frontend answers 404 for every request, after the deployment was started and waited for.
    """
    asked = benchmark.arguments["--model"].located if benchmark.arguments else None
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
            fix=set_flag(asked.place, MODEL_FLAGS, served[0].value) if _is_one(served) else None,
            also=[(served[0], f"served as {served[0].value}")],
        )


MODEL_FLAGS = ("--model", "--model-names")


def _is_one(names: list[Located[str]]) -> bool:
    return len({name.value for name in names}) == 1


@rule(
    "S006",
    "roles-serve-different-names",
    Severity.ERROR,
    of=PAIRS,
    runtimes=DYNAMO,
)
def roles_serve_different_names(prefill: Worker, decode: Worker) -> Iterator[Said]:
    """Prefill and decode workers serve different model names.

    The frontend pairs them by name: prefill workers of another name are never used.
    """
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
    of=WORKERS,
    runtimes=DYNAMO,
)
def served_under_a_path(worker: Worker) -> Iterator[Said]:
    """A worker loads the model from a path and gives it no public name.

    The path becomes the name, and clients that ask for the model by its id get 404.
    """
    if worker.served_name is None and worker.model and is_path(worker.model.value):
        yield Said(
            worker.model,
            f"the model is served under the name {worker.model.value!r}",
            "add --served-model-name with the name that clients use",
        )

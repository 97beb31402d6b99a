"""Values of the traffic, of the Jobs that measure a target, and of helm test."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from gptoss.facts.programs import AIPERF, newest
from gptoss.values.identifiers import FolderOrNone, Image, Name
from gptoss.values.pod_values import Closed, Count, Free, PodOptions, Strings

Goodput = Annotated[
    dict[str, Annotated[float, Field(gt=0)]],
    WithJsonSchema(
        {
            "type": "object",
            "patternProperties": {
                f"^({'|'.join(newest(AIPERF).metrics)})$": {"type": "number", "exclusiveMinimum": 0}
            },
            "additionalProperties": False,
        }
    ),
]


class Sweep(Closed):
    """Concurrencies that the benchmark goes through, one after the other."""

    from_: Count = Field(32, alias="from", description="First concurrency; it doubles each step.")
    to: Count | None = Field(
        None,
        description="Last concurrency; as many requests as the workers decode at once when null.",
    )
    rounds: Count = Field(5, description="Requests of a step, in multiples of its concurrency.")


class Workload(Closed):
    """The traffic that the target is built for; the benchmark sends it."""

    input_tokens: Count | None = Field(None, description="Input sequence length in tokens (ISL).")
    output_tokens: Count | None = Field(None, description="Output sequence length in tokens (OSL).")
    input_tokens_stddev: Annotated[int, Field(ge=0)] = Field(
        0, description="Standard deviation of the input sequence length in tokens."
    )
    output_tokens_stddev: Annotated[int, Field(ge=0)] = Field(
        0, description="Standard deviation of the output sequence length in tokens."
    )
    concurrency_per_gpu: Count | None = Field(
        None, description="Requests in flight a GPU, all GPUs of all workers counted."
    )
    concurrency: Count | None = Field(
        None, description="Requests in flight in all, instead of so many a GPU."
    )
    requests: Count | None = Field(
        None, description="Requests in all; ten times the concurrency when null."
    )
    sweep: Sweep | None = Field(
        None,
        description="Go through several concurrencies instead of one; concurrency, "
        "concurrencyPerGpu and requests then do not count.",
    )
    goodput: Goodput = Field(
        default_factory=dict,
        description="Limits of a good request by aiperf's name of the metric: "
        "time_to_first_token, inter_token_latency and request_latency in milliseconds, "
        "output_token_throughput_per_user and others.",
    )


class Artifacts(Closed):
    """Where a Job leaves its results."""

    existing_claim: Name | None = Field(
        None, description="Claim to write to; only the log has the results when null."
    )
    sub_path: FolderOrNone = Field(
        "",
        description="Folder in the claim; one named after the Job if empty. Each run gets a folder "
        "of its own in it.",
    )


class Placed(PodOptions):
    """Options of a pod that the chart places nowhere."""

    node_selector: Strings = Field(
        default_factory=dict, description="Labels of nodes that it may run on. Escape hatch."
    )
    affinity: Free = Field(default_factory=dict, description="Affinity of the pod. Escape hatch.")
    tolerations: list[Free] | None = Field(
        None, description="Taints that it tolerates; hardware.tolerations when null. Escape hatch."
    )


class JobOptions(Placed):
    """Options of a Job."""

    active_deadline_seconds: Count | None = Field(
        86400,
        description="Seconds after which the Job is ended, those in which it waits included; never "
        "when null.",
    )
    ttl_seconds_after_finished: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Seconds after which a Job that has ended is deleted, with its log; never when "
        "null. What keeps the release in step, as Argo CD, then makes and runs it again.",
    )


class MeasuringOptions(JobOptions):
    """Options of a Job that asks the model."""

    run_id: str | None = Field(
        None,
        description="Any word. Another word makes another Job, which measures again what has not "
        "changed.",
    )
    wait_for_rollout: bool = Field(
        True,
        description="Wait until every pod that serves is of this release's template and ready, and "
        "none of before is left. Needs to list pods at the API server; see rbac.",
    )
    wait_seconds: Count = Field(
        7200,
        description="Seconds to wait for the rollout, and then until the model answers one token.",
    )


class BenchmarkValues(MeasuringOptions):
    """The Job that measures the target with its workload."""

    enabled: bool = Field(False, description="Run the Job.")
    image: Image | None = Field(
        None, description="Image with aiperf; Dynamo's runtime's when null."
    )
    warmup_requests: Count | None = Field(
        None, description="Requests before measuring; as many as the concurrency when null."
    )
    dataset_entries: Count | None = Field(
        None,
        description="Different prompts; as many as warm-up and measured requests when null, so "
        "that none repeats.",
    )
    random_seed: Annotated[int, Field(ge=0)] = Field(
        100, description="Seed of the synthetic prompts; each step of a sweep adds one."
    )
    artifacts: Artifacts = Field(default_factory=Artifacts, description="Where results go.")
    extra_args: list[str] = Field(
        default_factory=list, description="Flags added to aiperf profile. Escape hatch."
    )


class AccuracyValues(MeasuringOptions):
    """The Job that evaluates the answers with OpenAI's gpt_oss.evals."""

    enabled: bool = Field(False, description="Run the Job.")
    image: Image | None = Field(
        None, description="Image with gpt_oss 0.0.9 and its extra eval; there is no default."
    )
    evals: Annotated[list[Literal["gpqa", "aime25", "basic"]], Field(min_length=1)] = Field(
        ["gpqa", "aime25"],
        description="Evaluations; their questions are fetched from the internet.",
    )
    reasoning_efforts: Annotated[list[Literal["low", "medium", "high"]], Field(min_length=1)] = (
        Field(
            ["low", "medium"],
            description="Reasoning efforts, one evaluation after the other.",
        )
    )
    threads: Count | None = Field(
        None,
        description="Questions asked at once; as many as the workers decode at once, and at most "
        "1584, when null.",
    )
    artifacts: Artifacts = Field(default_factory=Artifacts, description="Where results go.")
    extra_args: list[str] = Field(
        default_factory=list, description="Flags added to gpt_oss.evals. Escape hatch."
    )


class TestsValues(Placed):
    """The pods of helm test."""

    image: Image | None = Field(None, description="Image with python3; runtime's when null.")
    timeout_seconds: Count = Field(120, description="Seconds until a test gives up.")

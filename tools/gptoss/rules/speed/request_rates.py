"""How many requests a second each side of a deployment gives, in closed form. Estimates all.

Times of iterations are those of ``schema/speed.yaml``. Where a worker's layout is not in it, or
something is on that it does not know of, there is no estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.deployment.model import PARALLEL_SIZES, Role
from gptoss.deployment.traffic import begins_alike, has_turns, is_recorded, starts_by_a_clock
from gptoss.facts.moe_kernels import AUTO, moe_kernels
from gptoss.memory.worker_memory import memory_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.facts.speeds import Speed
    from gptoss.facts.world import Facts
    from gptoss.memory.gpu_memory import GpuMemory
    from gptoss.text.places import Located

# Busy prefill engines take so much longer than the library's passes (planning/loops).
PREFILL_SLOWER = 1.4
# Traffic of which the benchmark's lengths and concurrency do not tell enough.
OTHERWISE = (starts_by_a_clock, is_recorded, begins_alike, has_turns)
STEPS = 40


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the benchmark sends: tokens of a prompt and of an answer, and the most in flight."""

    isl: int
    osl: int
    clients: int | None


@dataclass(frozen=True, slots=True)
class Engines:
    """All replicas of one worker.

    Attributes:
        worker: The worker.
        speed: Iterations of one replica.
        ranks: Attention data parallel ranks of all replicas.
        batch: Requests that one rank decodes at once: max_batch_size, or what its KV cache holds.
        tokens: Tokens of one iteration of a rank.
    """

    worker: Worker
    speed: Speed
    ranks: int
    batch: int
    tokens: int

    @property
    def gpus(self) -> int:
        """GPUs of all replicas."""
        return self.speed.gpus * self.worker.replica_count

    @property
    def places(self) -> int:
        """Requests that all ranks decode at once."""
        return self.batch * self.ranks

    def prompt_time(self, isl: int) -> float:
        """Milliseconds that a rank is busy with one prompt where prompts wait."""
        tokens = self.tokens
        if self.worker.engine.switch("enable_chunked_prefill") or isl >= tokens:
            return self.speed.prefill_time(tokens, isl) * isl / tokens
        prompts = max(1, min(tokens // isl, self.batch))
        return self.speed.prefill_time(prompts * isl, isl) / prompts

    def prompts(self, isl: int) -> float:
        """Prompts a second, of all ranks, that do nothing else."""
        return 1000 * self.ranks / (PREFILL_SLOWER * self.prompt_time(isl))


def traffic_of(benchmark: Benchmark) -> Traffic | None:
    """What the benchmark sends; None where it is no closed loop of new prompts of known lengths.

    What begins alike is computed once, and what starts by a clock may never wait.
    """
    isl, osl, words = benchmark.input_tokens, benchmark.output_tokens, benchmark.arguments
    if isl is None or osl is None or isl.value < 1 or osl.value < 1:
        return None
    if words is None or any(each(words) for each in OTHERWISE):
        return None
    most = most_in_flight(benchmark)
    return Traffic(isl.value, osl.value, most.value if most else None)


def most_in_flight(benchmark: Benchmark) -> Located[int] | None:
    """Where the highest concurrency stands; None where nobody says one."""
    steps = [step.concurrency for step in benchmark.steps if step.concurrency]
    return benchmark.concurrency or max(steps, key=lambda step: step.value, default=None)


def engines_of(
    workers: Sequence[Worker], traffic: Traffic, deployment: Deployment, facts: Facts
) -> list[Engines] | None:
    """The engines of workers; None where there is no estimate for one of them."""
    found = [_engines(worker, traffic, deployment, facts) for worker in workers]
    known = [each for each in found if each]
    return known if known and len(known) == len(found) else None


def _engines(
    worker: Worker, traffic: Traffic, deployment: Deployment, facts: Facts
) -> Engines | None:
    memory = memory_of(worker, deployment)
    scaled = worker.floor is not None or not worker.counted or worker.replica_count < 1
    speed = _speed(worker, memory, facts) if memory and not scaled else None
    if memory is None or speed is None:
        return None
    room = memory.sequences(traffic.isl + traffic.osl)
    batch = max(1, min(memory.shape.max_batch_size, room))
    ranks = speed.ranks * worker.replica_count
    return Engines(worker, speed, ranks, batch, memory.shape.max_num_tokens)


def _speed(worker: Worker, memory: GpuMemory, facts: Facts) -> Speed | None:
    """The iterations of one replica; None where there are no data."""
    engine, shape = worker.engine, memory.shape
    others = [engine.whole(size) or 1 for size in PARALLEL_SIZES[1:]]
    if max(others) > 1 or memory.model.id != facts.speeds.model:
        return None
    # Experts were measured on the kernels that AUTO takes.
    kernels = moe_kernels()
    auto = kernels.taken(AUTO, kernels.generation(shape.gpu))
    speculates = any(each.value is not None for each in engine.under("speculative_config"))
    if speculates or shape.moe_backend != auto:
        return None
    return facts.speeds.of(shape.gpu.key, shape.tp, attention_dp=shape.attention_dp, kv=shape.kv)


@dataclass(frozen=True, slots=True)
class Flow:
    """Disaggregated serving: what prefill gives and what decode takes, all replicas.

    Attributes:
        traffic: Of these requests.
        prefill, decode: The engines of each side.
    """

    traffic: Traffic
    prefill: Sequence[Engines]
    decode: Sequence[Engines]

    @property
    def prompts(self) -> float:
        """Requests a second that prefill gives."""
        return sum(each.prompts(self.traffic.isl) for each in self.prefill)

    @property
    def places(self) -> int:
        """Requests that can be decoded at once."""
        return sum(each.places for each in self.decode)

    @property
    def most(self) -> float:
        """Requests a second that decode answers with every place taken."""
        return self.answers(1.0)

    @property
    def asked(self) -> float:
        """Requests a second that decode answers with everything that is in flight in it."""
        clients = self.traffic.clients or self.places
        return self.answers(min(1.0, clients / self.places))

    def answers(self, taken: float) -> float:
        """Requests a second that decode answers while a part of its places is taken."""
        return sum(
            each.ranks * taken * each.batch / self._answer_time(each, taken) * 1000
            for each in self.decode
        )

    def balanced(self, answers: float) -> float:
        """Requests a second if each GPU did both, or was split so that neither side waits.

        Args:
            answers: Requests a second that the GPUs of decode answer now.
        """
        prefill, decode = gpus_of(self.prefill), gpus_of(self.decode)
        return (prefill + decode) / (prefill / self.prompts + decode / answers)

    def taken(self, rate: float) -> float:
        """The part of the places that is taken while so many requests a second come."""
        low, high = 0.0, 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.answers(middle) < rate else (low, middle)
        return high

    @property
    def decoding(self) -> float:
        """Requests that are decoded at once on average."""
        clients = self.traffic.clients or self.places
        return min(self.places * self.taken(min(self.prompts, self.most)), clients)

    @property
    def wait(self) -> float:
        """Seconds until the first token with all clients in flight, by Little's law."""
        rate = min(self.prompts, self.asked)
        return max(0.0, (self.traffic.clients or 0) - self.decoding) / rate

    @property
    def answer(self) -> float:
        """Seconds from the first token of an answer to its last."""
        return self.decoding / min(self.prompts, self.asked)

    def _answer_time(self, each: Engines, taken: float) -> float:
        """Milliseconds from the first token of an answer to its last."""
        length = self.traffic.isl + self.traffic.osl / 2
        return self.traffic.osl * each.speed.decode_time(max(1.0, taken * each.batch), length)


def gpus_of(engines: Sequence[Engines]) -> int:
    """GPUs of engines, all replicas."""
    return sum(each.gpus for each in engines)


def flow_of(deployment: Deployment, benchmark: Benchmark, facts: Facts) -> Flow | None:
    """The flow of disaggregated serving under its benchmark; None where there is no estimate."""
    traffic = traffic_of(benchmark)
    if traffic is None:
        return None
    sides = (deployment.workers_with(role) for role in (Role.PREFILL, Role.DECODE))
    prefill, decode = (engines_of(workers, traffic, deployment, facts) for workers in sides)
    return Flow(traffic, prefill, decode) if prefill and decode else None

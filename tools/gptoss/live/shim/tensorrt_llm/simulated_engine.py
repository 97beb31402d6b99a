"""The engine: takes requests, waits as long as a GPU would, and gives scripted tokens."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from harmony_script import answer
from tokenizers import Tokenizer

from .llm_types import SIZES, CompletionOutput, DisaggregatedParams, RequestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from .llm_types import SamplingParams

# Milliseconds, from the environment of the launch script.
TTFT, ITL = "GPTOSS_SIMULATED_TTFT_MS", "GPTOSS_SIMULATED_ITL_MS"
SPEED = "GPTOSS_SIMULATED_SPEED"
PREFILL_TOKENS_A_SECOND = 60_000.0
DEFAULT_ITL = 5.0
TRANSFER_SECONDS = 0.002
STATISTICS_SECONDS = 0.05
FILLER = " lorem ipsum dolor sit amet consectetur"


class LLM:
    """One engine with the settings that Dynamo's worker comes to.

    Raises:
        ValueError: The worker has other GPUs than the settings take.
    """

    def __init__(self, **settings: Any) -> None:
        given = {name: value for name, value in settings.items() if value is not None}
        self.args = SimpleNamespace(**(SIZES | given))
        self._check_gpus()
        self.tokenizer = Tokenizer.from_file(str(Path(self.args.model, "tokenizer.json")))
        self.filler = self.encode(FILLER)
        ranks = self.tensor_parallel if getattr(self.args, "enable_attention_dp", False) else 1
        self.room = asyncio.Semaphore(self.args.max_batch_size * ranks)
        self.waiting = 0

    @property
    def tensor_parallel(self) -> int:
        """GPUs that share each layer."""
        return int(getattr(self.args, "tensor_parallel_size", 1))

    def _check_gpus(self) -> None:
        need = self.tensor_parallel * int(getattr(self.args, "pipeline_parallel_size", 1))
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        have = [gpu for gpu in visible.split(",") if gpu]
        if len(have) != need:
            raise ValueError(f"the settings take {need} GPUs, CUDA_VISIBLE_DEVICES is {visible!r}")

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, the marks of harmony as their own."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def generate_async(
        self,
        inputs: Any,
        sampling_params: SamplingParams,
        disaggregated_params: DisaggregatedParams | None = None,
        streaming: bool = False,
        **_: Any,
    ) -> GenerationResult:
        """Starts one request."""
        prompt = inputs["prompt_token_ids"] if isinstance(inputs, dict) else inputs
        return GenerationResult(
            self, list(prompt), sampling_params, disaggregated_params, streaming
        )

    async def get_stats_async(self, timeout: float = 2) -> AsyncIterator[Mapping[str, Any]]:  # noqa: ARG002
        """What the engine does, once; Dynamo's drain and its metrics ask for it."""
        await asyncio.sleep(STATISTICS_SECONDS)
        yield {
            "numActiveRequests": self.waiting,
            "numQueuedRequests": 0,
            "kvCacheStats": {"usedNumBlocks": 0, "maxNumBlocks": 1},
        }

    async def get_kv_cache_events_async(
        self,
        timeout: float = 2,
    ) -> AsyncIterator[Mapping[str, Any]]:
        """No events: blocks are not simulated."""
        await asyncio.sleep(timeout)
        none: tuple[Mapping[str, Any], ...] = ()
        for event in none:
            yield event

    def shutdown(self) -> None:
        """Nothing to give back."""


class GenerationResult:
    """One request: an asynchronous iterator that is its own result, as TensorRT-LLM's is."""

    def __init__(
        self,
        engine: LLM,
        prompt_token_ids: list[int],
        sampling: SamplingParams,
        disaggregated: DisaggregatedParams | None,
        streaming: bool,
    ) -> None:
        self.prompt = None
        self.cached_tokens = 0
        self.prompt_token_ids = prompt_token_ids
        self.finished = False
        self.outputs = [CompletionOutput()]
        self._engine = engine
        self._sampling = sampling
        self._disaggregated = disaggregated
        self._streaming = streaming
        self._steps: asyncio.Queue[tuple[int, str | None]] = asyncio.Queue()
        self._tokens: list[int] = []
        self._error: Exception | None = None
        self._work = asyncio.create_task(self._run())

    def abort(self) -> None:
        """Ends the request; what iterates over it gets a last, cancelled result."""
        if not self._work.done():
            self._work.cancel()
            self._steps.put_nowait((0, "cancelled"))

    def __aiter__(self) -> GenerationResult:
        return self

    async def __anext__(self) -> GenerationResult:
        if self.finished:
            raise StopAsyncIteration
        count, reason = await self._steps.get()
        if self._error is not None:
            raise self._error
        output = self.outputs[0]
        output.token_ids = self._tokens[: len(output.token_ids) + count]
        output.finish_reason = reason
        self.finished = reason is not None
        return self

    async def _run(self) -> None:
        engine = self._engine
        engine.waiting += 1
        try:
            async with engine.room:
                await self._generate()
        except Exception as error:  # noqa: BLE001 (it is raised where the answer is awaited)
            self._error = error
            self._steps.put_nowait((0, None))
        finally:
            engine.waiting -= 1

    async def _generate(self) -> None:
        most = self._most_tokens()
        given = self._disaggregated or DisaggregatedParams()
        if given.request_type == "generation_only":
            self._check_hand_over()
            await asyncio.sleep(TRANSFER_SECONDS / _speed())
        else:
            await asyncio.sleep(_prefill_seconds(len(self.prompt_token_ids)))
        self._tokens, reason = self._script(most)
        if given.request_type == "context_only":
            self.outputs[0].disaggregated_params = DisaggregatedParams(
                request_type="context_only",
                first_gen_tokens=self._tokens[:1],
                ctx_request_id=id(self),
                opaque_state=b"simulated",
                disagg_request_id=given.disagg_request_id,
            )
            self._steps.put_nowait((1, "length"))
            return
        await self._stream(reason)

    async def _stream(self, reason: str) -> None:
        """Gives the tokens in chunks of the stream interval, the first one alone."""
        interval = int(getattr(self._engine.args, "stream_interval", 1)) if self._streaming else 1
        itl = float(os.environ.get(ITL) or DEFAULT_ITL) / 1000 / _speed()
        start = time.monotonic()
        sent = 0
        while sent < len(self._tokens):
            count = 1 if sent == 0 else min(interval, len(self._tokens) - sent)
            sent += count
            await asyncio.sleep(max(0.0, start + (sent - 1) * itl - time.monotonic()))
            self._steps.put_nowait((count, reason if sent == len(self._tokens) else None))

    def _check_hand_over(self) -> None:
        given = self._disaggregated
        if given is None or given.opaque_state != b"simulated" or not given.first_gen_tokens:
            raise RequestError("decode was not handed what prefill made")

    def _most_tokens(self) -> int:
        """Tokens that the answer may have.

        The engine shortens what goes beyond its context, and refuses a prompt that fills it
        (NVIDIA/TensorRT-LLM tensorrt_llm/executor/base_worker.py, _deduce_max_tokens).
        """
        asked = self._sampling.max_tokens
        length, context = len(self.prompt_token_ids), self._engine.args.max_seq_len
        if context is not None and context <= length:
            raise RequestError(
                f"`default_max_tokens` ({context - length}) must be greater than 0: "
                f"max_seq_len ({context}), prompt ({length})"
            )
        if asked is not None and asked <= 0:
            raise RequestError(f"`max_tokens` ({asked}) must be greater than 0")
        room = 2**31 if context is None else context - length
        return min(asked or room, room)

    def _script(self, most: int) -> tuple[list[int], str]:
        """Tokens of the answer, and why it ends.

        The token that ends it is left out, as the engine leaves it out, unless the end is not to
        be looked for: then it is one token among others, and more follow.
        """
        engine, sampling = self._engine, self._sampling
        prompt = engine.tokenizer.decode(self.prompt_token_ids, skip_special_tokens=False)
        guides = getattr(engine.args, "guided_decoding_backend", None)
        *tokens, end = engine.encode(answer(prompt, sampling.guided_decoding if guides else None))
        least = min(sampling.min_tokens or 0, most)
        if sampling.ignore_eos:
            if least < len(tokens):
                tokens.append(end)
            least = most
        if least > len(tokens):
            tokens += engine.filler * (least // len(engine.filler) + 1)
            tokens = tokens[:least]
        cut = len(tokens) > most or least == most
        return tokens[:most], "length" if cut else "stop"


def _speed() -> float:
    return float(os.environ.get(SPEED) or 1)


def _prefill_seconds(tokens: int) -> float:
    given = os.environ.get(TTFT)
    seconds = float(given) / 1000 if given else tokens / PREFILL_TOKENS_A_SECOND
    return seconds / _speed()


print("simulated TensorRT-LLM: no GPU is used and no model is loaded", file=sys.stderr)  # noqa: T201

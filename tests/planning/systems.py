"""Systems to predict, in a word or two."""

from __future__ import annotations

from gptoss.planning.layouts import Engine, KvType, Layout, System


def layout(gpu: str, name: str, kv: KvType = KvType.FP8) -> Layout:
    """A layout by its name, as in TP4 or DEP2; experts are spread over all GPUs."""
    attention_dp = name.startswith("DEP")
    gpus = int(name.removeprefix("DEP").removeprefix("TP"))
    return Layout(gpu, gpus, attention_dp, gpus, kv)


def engine(
    gpu: str,
    name: str,
    replicas: int = 1,
    *,
    batch: int = 1024,
    tokens: int = 16384,
    chunked: bool = False,
    kv_tokens: int = 10_000_000,
    kv: KvType = KvType.FP8,
) -> Engine:
    """Engines with room for everything unless said."""
    of = layout(gpu, name, kv)
    return Engine(of, replicas, batch, tokens, chunked, kv_tokens, "TRTLLM")


def aggregated(gpu: str, name: str, replicas: int = 1, **more: int) -> System:
    """Engines that do both."""
    return System("aggregated", engine(gpu, name, replicas, **more))  # type: ignore[arg-type]


def split(gpu: str, prefill: tuple[int, str], decode: tuple[int, str]) -> System:
    """Prefill and decode engines, each a number of a layout."""
    return System(
        "split",
        decode=engine(gpu, decode[1], decode[0]),
        prefill=engine(gpu, prefill[1], prefill[0], tokens=8448),
    )

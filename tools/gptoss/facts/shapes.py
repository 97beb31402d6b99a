"""What each file of facts has to hold."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.facts.fact_files import (
    ANY,
    FLAG,
    MAP,
    NUMBER,
    SWITCH,
    TEXT,
    WHOLE,
    Shape,
    Want,
    at_least,
    faults,
    like,
    one_of,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class FileShape(NamedTuple):
    """What a file holds.

    Attributes:
        top: Its own keys.
        entries: The keys of each entry of a map, by the map's key.
        names: What an entry may be called.
        each: The keys of single entries that are like no other.
        sourced: Keys of which the file's map ``sources`` says where they are stated; a file without
            says so in each entry.
    """

    top: Shape
    entries: Mapping[str, Shape]
    names: Want
    sourced: frozenset[str] = frozenset()
    each: Mapping[str, Shape] = MappingProxyType({})


SIZES = Want(
    "a map of maxBatchSize and maxNumTokens",
    lambda value: MAP.holds(value) and {"maxBatchSize", "maxNumTokens"} == value.keys(),
)
QUANTITY = like("a quantity such as 128Gi", r"\d+[KMGT]i")
GPU: Shape = {
    "name": TEXT,
    "sm": at_least(70),
    "memory": at_least(10_000, "MiB"),
    "gpusPerNode": WHOLE,
    "architecture": one_of("amd64", "arm64"),
    "productLabels": texts(),
    "cpuPerGpu": WHOLE,
    "memoryPerGpu": QUANTITY,
    "nodeCpu": WHOLE,
    "nodeMemory": QUANTITY,
    "nodeDisk": QUANTITY,
}
HARDWARE = FileShape(
    top={"sources": MAP, "gpus": MAP},
    entries={"gpus": GPU},
    names=like("a name such as b200", r"[a-z][a-z0-9-]*"),
    sourced=frozenset(GPU),
)
RELEASE: Shape = {
    "date": ANY,
    "trtllm": like("a version such as 1.3.0rc14", r"\d+\.\d+\.\d+(rc\d+)?(\.post\d+)?"),
    "apiVersions": texts("v1alpha1", "v1beta1"),
    "aggregatedMode": TEXT,
    "kvEventsFlag": FLAG,
    "metricsFlag": FLAG._replace(optional=True),
    "repeatedSizes": texts(),
    "enforceDisagg": one_of("refused", "effective", "automatic"),
    "routerModes": texts(),
    "eventPlane": one_of("nats", "zmq"),
    "selfHostMetadata": SWITCH,
    "frontendWaits": SWITCH,
    "prefillDrain": at_least(0),
    "strictTags": SWITCH,
    "cuda": like("a version such as 13.1", r"\d+\.\d+")._replace(optional=True),
    "driver": at_least(500)._replace(optional=True),
    "flags": MAP._replace(optional=True),
}
RELEASES = FileShape(
    top={
        **dict.fromkeys(("sources", "older", "releases"), MAP),
        **dict.fromkeys(("default", "image", "serveImage"), TEXT),
    },
    entries={"older": RELEASE, "releases": RELEASE},
    names=like("a version such as 1.2.1", r"\d+\.\d+\.\d+"),
    sourced=frozenset({*RELEASE, "image", "serveImage"}),
)
VERSION = like("a version such as 1.3.0", r"\d+\.\d+\.\d+")
KNOWN = FileShape(
    top={"known": MAP},
    entries={
        "known": {
            "what": TEXT,
            "do": TEXT,
            "since": VERSION._replace(optional=True),
            "right": VERSION._replace(optional=True),
            "when": one_of("pieces", "tools", "disaggregated")._replace(optional=True),
            "source": TEXT,
        }
    },
    names=like("a name such as effort-at-top", r"[a-z][a-z0-9-]*"),
)
IMAGES = FileShape(
    top={"images": MAP},
    entries={
        "images": {
            "digest": like("a digest, sha256:...", r"sha256:[0-9a-f]{64}")._replace(optional=True),
            "seen": texts(),
            "date": like("a date such as 2026-11-23, in quotes", r"\d{4}-\d\d-\d\d"),
        }
    },
    names=like("an image with its registry and tag", r"[a-z0-9.-]+\.[a-z]+/\S+:[\w.-]+"),
)
TYPES = ("bfloat16", "float32", "uint8")
TENSOR: Shape = {
    "part": one_of("attention", "router", "norms", "embeddings", "experts"),
    "shape": Want(
        "a list of whole numbers", lambda v: isinstance(v, list) and all(map(WHOLE.holds, v))
    ),
    "type": one_of(*TYPES),
    "cut": one_of("heads", "kvHeads", "vocabulary", "output")._replace(optional=True),
    "gpuType": one_of(*TYPES)._replace(optional=True),
}
MODEL_KEYS: Shape = {
    "id": TEXT,
    "revision": TEXT,
    "layers": WHOLE,
    "hiddenSize": WHOLE,
    "intermediateSize": WHOLE,
    "attentionHeads": WHOLE,
    "kvHeads": WHOLE,
    "headDimension": WHOLE,
    "experts": WHOLE,
    "expertsPerToken": WHOLE,
    "vocabulary": WHOLE,
    "maxPosition": WHOLE,
    "slidingWindow": WHOLE,
    "slidingLayers": WHOLE,
    "quantization": ANY,
    "checkpointBytes": WHOLE,
    "layerTensors": MAP,
    "modelTensors": MAP,
    "reasoningParser": TEXT,
    "toolCallParser": TEXT,
    "harmonyVocabulary": MAP,
    "moeBackends": texts(),
    "evaluation": MAP,
}
MODEL = FileShape(
    top={"sources": MAP, **MODEL_KEYS},
    entries={
        "evaluation": {"low": SIZES, "medium": SIZES, "high": SIZES},
        "layerTensors": TENSOR,
        "modelTensors": TENSOR,
    },
    names=TEXT,
    sourced=frozenset(MODEL_KEYS),
)
COEFFICIENTS = Want(
    "a list of numbers from 0 on",
    lambda v: isinstance(v, list) and all(NUMBER.holds(each) and each >= 0 for each in v),
)
SPEED = FileShape(
    top={"source": TEXT, "model": TEXT, "speeds": MAP},
    entries={"speeds": {"decode": COEFFICIENTS, "prefill": COEFFICIENTS, "worst": NUMBER}},
    names=like("a GPU, a layout and a KV type", r"[a-z][a-z0-9-]* (TP|DEP)\d+ (bfloat16|fp8)"),
)
MOE = FileShape(
    top={"algorithms": MAP, "generations": MAP, "backends": MAP},
    entries={
        "algorithms": {"activations": TEXT},
        "generations": {
            "sm": Want("two compute capabilities", lambda v: isinstance(v, list) and len(v) == 2),
            "auto": TEXT,
            "algorithm": TEXT,
            "source": TEXT,
        },
        "backends": {
            **{key: MAP._replace(optional=True) for key in ("runs", "doubtful", "algorithm")},
            **{key: MAP._replace(optional=True) for key in ("degrades", "for")},
            "experimental": texts()._replace(optional=True),
            "instead": TEXT._replace(optional=True),
            "deprecated": VERSION._replace(optional=True),
            "source": TEXT,
        },
    },
    names=TEXT,
)
BY_PARALLEL_SIZE = Want(
    "a number for each of 1, 2, 4 and 8 GPUs",
    lambda value: MAP.holds(value) and value.keys() == {1, 2, 4, 8},
)
MEMORY = FileShape(
    top=dict.fromkeys(
        (
            *("expertKernels", "activations", "moeWorkspace"),
            *("communication", "other", "graph", "transferBuffer"),
        ),
        MAP,
    ),
    entries={
        "expertKernels": {
            **dict.fromkeys(("input", "output", "inner", "biasBytes"), WHOLE),
            "source": TEXT,
        }
    },
    names=like("a MoE backend such as TRTLLM", r"[A-Z]+"),
    each={
        "activations": {"perToken": BY_PARALLEL_SIZE, "least": WHOLE, "source": TEXT},
        "moeWorkspace": {"scaleBlock": WHOLE, "scaleBytes": WHOLE, "source": TEXT},
        "communication": {"bytes": BY_PARALLEL_SIZE, "source": TEXT},
        "other": {"bytes": WHOLE, "source": TEXT},
        "graph": {"bytes": WHOLE, "source": TEXT},
        "transferBuffer": {"count": WHOLE, "bytes": WHOLE, "source": TEXT},
    },
)


def faults_of(content: Mapping[str, Any], shape: FileShape) -> Iterator[str]:
    """All that is wrong with a file, each as in ``gpus.b300: productLabels is missing``."""
    yield from faults("", content, shape.top)
    for key, entry in shape.entries.items():
        found = content.get(key)
        for name, facts in found.items() if isinstance(found, dict) else ():
            if not shape.names.holds(name):
                yield f"{key}: {name!r} is not {shape.names.told}"
            yield from faults(f"{key}.{name}", facts, entry)
    for key, entry in shape.each.items():
        yield from faults(key, content.get(key, {}), entry)
    if shape.sourced:
        yield from faults("sources", content.get("sources"), dict.fromkeys(shape.sourced, TEXT))

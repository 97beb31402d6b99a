"""Attacks on whatever reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz import trees
from fuzz.contents import Source
from fuzz.seeds import GPUS, RELEASE
from fuzz.sizes import size
from tests.sources.manifest_examples import ALPHA, ENGINE

if TYPE_CHECKING:
    from random import Random

MAPS = (
    "kind: x\nspec: ",
    "services: ",
    "max_batch_size: 8\nkv_cache_config: ",
    "target: agg-gb200\nx: ",
)
SCALARS = (
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "2020-01-01 00:00:00.5 +99:00",
    "!!binary aGk=",
    "!!set {a, b}",
    "!!omap [a: 1]",
    "!!float 1",
    '!!int "0b1"',
    '!!int "x"',
    "!!timestamp x",
    "!!bool maybe",
    "!!python/name:os.system",
    "! x",
    "!<x> y",
    ".inf",
    "-.inf",
    ".nan",
    "1e999",
    "0o17",
    "017",
    "1_000",
    "1:30",
    "-1",
    "0",
    "=",
    "<<",
    "? x",
    "|2-\n  x",
    "%x",
    "@x",
    '"\\x00"',
    '"\\ud800"',
    '"\\e[31m"',
    "{a: 1, a: 2}",
    "[1, -1, x, null]",
)
NAMES = ("deploy.yaml", "decode.yaml", "compose.yaml", "mine.yaml", "serve.sh")
TOP = ("apiVersion", "kind", "metadata", "name", "spec", "services", "data", "image", "command")
KEYS = (
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "moe_expert_parallel_size",
    "moe_tensor_parallel_size",
    "context_parallel_size",
    "gpus_per_node",
    "max_batch_size",
    "max_num_tokens",
    "max_seq_len",
    "max_input_len",
    "max_beam_width",
    "stream_interval",
    "enable_attention_dp",
    "backend",
    "cuda_graph_config",
    "cuda_graph_config.max_batch_size",
    "cuda_graph_config.batch_sizes",
    "kv_cache_config.free_gpu_memory_fraction",
    "kv_cache_config.max_tokens",
    "kv_cache_config.dtype",
    "kv_cache_config.tokens_per_block",
    "kv_cache_config.max_attention_window",
    "kv_cache_config.host_cache_size",
    "moe_config.backend",
    "moe_config.max_num_tokens",
    "cache_transceiver_config.backend",
    "cache_transceiver_config.max_tokens_in_buffer",
    "speculative_config.decoding_type",
    "speculative_config.max_draft_len",
    "scheduler_config.capacity_scheduler_policy",
    "env_overrides.X",
)


def anything(random: Random) -> Source:
    """Any YAML, with keys that mean something somewhere, or any bytes."""
    name = random.choice(NAMES)
    if random.random() < 0.3:
        return Source("", {name: random.randbytes(size(random, 1, 300))}, (name,))
    content = trees.dumped(_any(random, 4), random)
    start = random.choice((b"", b"kind: x\n---\n", ALPHA.encode(), b"- "))
    return Source("", {name: start + content}, (name,))


def _any(random: Random, depth: int) -> Any:
    """A map or a list of maps, lists and values."""
    if depth == 0 or random.random() < 0.2:
        return trees.value(random)
    inner = [_any(random, depth - 1) for _ in range(random.randrange(4))]
    if random.random() < 0.3:
        return inner
    return {random.choice((*TOP, *KEYS)): item for item in inner}


def nesting(random: Random) -> Source:
    """Lists, maps or blocks in one another."""
    depth = size(random, 20, 60_000)
    shape = random.randrange(5)
    if shape == 4:
        deep = "\n" + "".join(" " * n + "a:\n" for n in range(1, min(depth, 1200)))
    else:
        deep = ("[", "{a: ", "- ", "? ")[shape] * depth
        deep += ("]", "}", "", "")[shape] * (depth * random.randrange(2))
    return _given(random, f"{random.choice(MAPS)}{deep}\n")


def aliases(random: Random) -> Source:
    """Aliases of aliases, in one document or in many, in its own text or in a value's."""
    width, levels = size(random, 2, 40), size(random, 2, 14)
    rows = ["a0: &a0 [x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    text = "kind: ConfigMap\n" + "\n".join(rows)
    if random.random() < 0.3:
        inner = "\n".join(f"    {row}" for row in rows)
        text = f"kind: ConfigMap\nmetadata: {{name: x}}\ndata:\n  decode.yaml: |\n{inner}"
    if random.random() < 0.3:
        flat = ", ".join(["*a"] * size(random, 10, 7000))
        text = f"kind: x\nb: &a [{'x, ' * 20}]\nc: [{flat}]"
    if random.random() < 0.2:
        text = random.choice(
            ("kind: &a [*a]", "kind: x\nspec: &a {<<: *a}", "a: &a {b: *a, <<: *a}")
        )
    return _given(random, "\n---\n".join([text] * size(random, 1, 300)))


def numbers(random: Random) -> Source:
    """Numbers of very many digits, to bases of which one grows by squares."""
    length = size(random, 10, 500_000)
    digits = random.choice(("1:" * length + "1", "9" * length, "0x" + "f" * length, "1_" * length))
    digits = random.choice((digits, digits, f"0b{'1' * length}", f"1e{'9' * min(length, 5000)}"))
    return _given(random, f"{random.choice(MAPS)}{{a: {digits}}}\nmax_num_tokens: {digits}\n")


def documents(random: Random) -> Source:
    """A great many small documents."""
    one = random.choice(
        ("---\n", "--- {}\n", "---\nkind: x\n", "--- a\n...\n", "---\nmax_batch_size: 8\n")
    )
    return _given(random, "kind: Service\n" + one * size(random, 10, 200_000))


def scalars(random: Random) -> Source:
    """Values of every type that YAML has, where numbers and names are expected."""
    tree: dict[str, dict[str, str]] = {}
    for key in random.sample(KEYS, random.randrange(1, 5)):
        home, _, last = key.rpartition(".")
        tree.setdefault(home, {})[last] = random.choice(SCALARS)
    lines = ["tensor_parallel_size: 4"] * random.randrange(2)
    for home, leaves in tree.items():
        lines += [home + ":"] if home else []
        lines += [f"{'  ' * bool(home)}{key}: {value}" for key, value in leaves.items()]
    text = "\n".join(lines) + "\n"
    told = ("--gpu", random.choice(GPUS), "--release", random.choice((RELEASE, "1.6.1", "1.2.1")))
    if random.random() < 0.7:
        return Source("", {"decode.yaml": text.encode()}, ("decode.yaml", *told))
    inner = "".join(f"    {line}\n" for line in text.splitlines())
    manifest = f"{ENGINE.partition('  decode.yaml')[0]}  decode.yaml: |\n{inner}---\n{ALPHA}"
    return Source("", {"deploy.yaml": manifest.encode()}, ("deploy.yaml",))


def anchors(random: Random) -> Source:
    """Settings that a fix would change, shared by an anchor or merged into several places."""
    size_of_graph = random.choice((7, 16, 640))
    shared = f"{{max_batch_size: {size_of_graph}}}"
    text = random.choice(
        (
            f"max_batch_size: 64\ncuda_graph_config: &b {shared}\nmoe_config: *b\n",
            f"x: &b {shared}\nmax_batch_size: 64\ncuda_graph_config: *b\nmoe_config: {{<<: *b}}\n",
            (
                f"max_batch_size: &n {size_of_graph}\nmax_num_tokens: *n\ncuda_graph_config:\n"
                "  max_batch_size: *n\n"
            ),
            (
                f"cuda_graph_config: &b\n  max_batch_size: {size_of_graph}\nmax_batch_size: 64\n"
                "speculative_config: {<<: *b, decoding_type: Eagle}\n"
            ),
        )
    )
    files = {"decode.yaml": text.encode()}
    argv = (
        "check",
        "decode.yaml",
        "--gpu",
        "b200",
        "--fix",
        "--release",
        random.choice((RELEASE, "1.2.1")),
    )
    return Source("", {**files}, ("decode.yaml",), argv=argv)


def _given(random: Random, text: str) -> Source:
    """A text under one of the names by which files are told apart."""
    name = random.choice((*NAMES, ".gptoss.yaml"))
    files = {name: text.encode()}
    if name == ".gptoss.yaml":
        return Source("", {**files, "decode.yaml": b"max_batch_size: 8\n"}, ("decode.yaml",))
    return Source("", {**files}, (name,))

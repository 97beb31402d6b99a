"""A model folder without weights: what frontend, worker and client read of the model's files.

The vocabulary and the published chat template come from two pinned packages that carry them. The
tokenizer knows only the first tokens of the vocabulary, at their own numbers: what it writes is
what the whole one reads, and a frontend starts in seconds.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.live import environments
from gptoss.live.cached import cached
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from gptoss.facts.world import Model

# Where the packages of the lock have them: litellm keeps tiktoken's cache, unsloth the template.
VOCABULARY = "litellm/litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790"
VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
TEMPLATES, TEMPLATE = "unsloth/chat_templates.py", "gptoss_template"
KEPT = 6000
BYTES = 256
# Marks of harmony by token, as openai/gpt-oss-120b publishes them.
MARKS = {
    199998: "<|startoftext|>",
    199999: "<|endoftext|>",
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
    200018: "<|endofprompt|>",
}
RESERVED = range(199998, 200020)
LETTERS = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
SMALL = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
# How o200k_base cuts a text before it merges.
CUT = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?[{LETTERS}]*[{SMALL}]+{SHORT}",
        rf"[^\r\n\p{{L}}\p{{N}}]?[{LETTERS}]+[{SMALL}]*{SHORT}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


def model_cache(model: Model) -> Path:
    """A Hugging Face cache that holds the model at its pinned revision, without weights.

    Returns:
        The folder to give as HF_HOME; the harmony vocabulary is in ``tiktoken`` below it.

    Raises:
        InputError: The packages cannot be installed, or have not what they are known to have.
    """
    made_from = Path(__file__).read_bytes() + f"{model.id} {model.revision}".encode()

    def make(folder: Path) -> None:
        packages = environments.packages("fixture")
        vocabulary = _vocabulary(packages / VOCABULARY)
        repository = folder / "hub" / f"models--{model.id.replace('/', '--')}"
        snapshot = repository / "snapshots" / model.revision
        snapshot.mkdir(parents=True)
        for name, content in _files(model, vocabulary, _template(packages / TEMPLATES)).items():
            (snapshot / name).write_text(json.dumps(content), encoding="utf-8")
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(model.revision, encoding="utf-8")
        (folder / "tiktoken").mkdir()
        (folder / "tiktoken" / "o200k_base.tiktoken").write_bytes(vocabulary)

    return cached("model", made_from, make)


def _vocabulary(path: Path) -> bytes:
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != VOCABULARY_SHA256:
        raise InputError(f"{path} is not the vocabulary o200k_base")
    return content


def _template(path: Path) -> str:
    """The published chat template, read from the module's text: importing it needs a GPU."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == TEMPLATE:
            return str(ast.literal_eval(node.value))
    raise InputError(f"{path} has no {TEMPLATE}")


def _files(model: Model, vocabulary: bytes, template: str) -> dict[str, Any]:
    ends = [200002, 199999, 200012]
    return {
        "config.json": {
            "architectures": ["GptOssForCausalLM"],
            "model_type": "gpt_oss",
            "vocab_size": 201088,
            "hidden_size": 2880,
            "intermediate_size": 2880,
            "num_hidden_layers": model.layers,
            "num_attention_heads": model.attention_heads,
            "num_key_value_heads": model.kv_heads,
            "head_dim": model.head_dimension,
            "num_local_experts": model.experts,
            "num_experts_per_tok": 4,
            "max_position_embeddings": model.max_position,
            "sliding_window": model.sliding_window,
            "eos_token_id": ends[0],
            "pad_token_id": ends[1],
        },
        "generation_config.json": {
            "bos_token_id": 199998,
            "do_sample": True,
            "eos_token_id": ends,
            "pad_token_id": ends[1],
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": model.max_position,
            "bos_token": MARKS[199998],
            "eos_token": MARKS[ends[0]],
            "pad_token": MARKS[ends[1]],
            "clean_up_tokenization_spaces": False,
            "added_tokens_decoder": {str(token["id"]): _without_id(token) for token in _marks()},
            "chat_template": template,
        },
        "tokenizer.json": _tokenizer(vocabulary),
    }


def _tokenizer(vocabulary: bytes) -> dict[str, Any]:
    """The beginning of the vocabulary as a byte-level BPE in the form of ``tokenizers``."""
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in vocabulary.splitlines()[:KEPT])
    }
    byte = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    split = {"type": "Split", "pattern": {"Regex": CUT}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _marks(),
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, byte | {"use_regex": False}],
        },
        "post_processor": None,
        "decoder": byte | {"use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            # The marks too: a mark that the model does not know gets the next free number.
            "vocab": {_written(token): rank for token, rank in ranks.items()}
            | {mark["content"]: mark["id"] for mark in _marks()},
            "merges": [[_written(a), _written(b)] for a, b in _merges(ranks)],
        },
    }


def _merges(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """Pairs that make each token, those of low tokens first."""
    found = []
    for token in ranks:
        cuts = ((token[:at], token[at:]) for at in range(1, len(token)))
        pairs = [pair for pair in cuts if pair[0] in ranks and pair[1] in ranks]
        found += sorted(pairs, key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
    return found


def _written(token: bytes) -> str:
    """Bytes as byte-level BPE writes them: each as one character that can be seen."""
    return "".join(_CHARACTERS[byte] for byte in token)


def _characters() -> dict[int, str]:
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(BYTES) if byte not in seen]
    moved = {byte: chr(BYTES + number) for number, byte in enumerate(unseen)}
    return {byte: chr(byte) for byte in seen} | moved


_CHARACTERS = _characters()


def _marks() -> list[dict[str, Any]]:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return [
        {"id": number, "content": MARKS.get(number, f"<|reserved_{number}|>"), "special": True}
        | plain
        for number in RESERVED
    ]


def _without_id(token: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in token.items() if name != "id"}

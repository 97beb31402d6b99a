"""Settings of speculative decoding that the engine refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.facts.engine_types import number
from gptoss.rules.engine.validators import Conflict, amount, is_given, is_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Worker

BLOCK = "speculative_config"
TYPE = f"{BLOCK}.decoding_type"
DRAFT = f"{BLOCK}.max_draft_len"
EAGLE = ("Eagle", "Eagle3")
DRAFTING = ("NGram", "SA", "PARD", "DFlash", "Draft_Target")
NOT_ON_PYTORCH = ("Medusa", "Lookahead")
LONGEST_NGRAM = 64


def unsupported_type(worker: Worker) -> Iterator[Conflict]:
    """A way of decoding that the PyTorch backend does not have."""
    kind = worker.engine.text(TYPE)
    if kind in NOT_ON_PYTORCH:
        hint = "use Eagle3 with a draft model, or NGram"
        yield Conflict("spec_backend", TYPE, f"{kind} is not there on the PyTorch backend", hint)


def draft(worker: Worker) -> Iterator[Conflict]:
    """No draft model, or nothing drafted."""
    kind = worker.engine.text(TYPE)
    if kind not in (*EAGLE, *DRAFTING):
        return
    validator = "spec_eagle" if kind in EAGLE else "spec_ngram"
    models = ("speculative_model", "speculative_model_dir")
    needs_model = kind in EAGLE or kind == "Draft_Target"
    if needs_model and not any(is_given(worker, f"{BLOCK}.{name}") for name in models):
        hint = "set speculative_config.speculative_model"
        yield Conflict(validator, TYPE, f"{kind} has no draft model", hint)
    length = worker.engine[DRAFT]
    if length.value is None or number(length.value) == 0:
        yield Conflict(
            validator,
            DRAFT if length.is_set else TYPE,
            f"{kind} needs a max_draft_len above 0",
            "set speculative_config.max_draft_len, 3 for example",
        )


def draft_tree(worker: Worker) -> Iterator[Conflict]:
    """A dynamic tree with too few settings, or with sizes that do not fit."""
    key = f"{BLOCK}.use_dynamic_tree"
    if worker.engine.text(TYPE) not in EAGLE or not is_on(worker, key):
        return
    choices, width = f"{BLOCK}.eagle_choices", f"{BLOCK}.dynamic_tree_max_topK"
    if is_given(worker, choices):
        message = "use_dynamic_tree and eagle_choices are both set"
        yield Conflict("spec_eagle_tree", key, message, "keep one of them", (choices,))
    for name in ("dynamic_tree_max_topK", "max_batch_size"):
        if (amount(worker, f"{BLOCK}.{name}") or 0) <= 0:
            message = f"use_dynamic_tree is on without {name}"
            yield Conflict("spec_eagle_tree", key, message, f"set {BLOCK}.{name}")
    total = amount(worker, f"{BLOCK}.max_total_draft_tokens")
    length, top = amount(worker, DRAFT), amount(worker, width)
    if total is not None and length and top and not length <= total <= length * top:
        yield Conflict(
            "spec_eagle_tree",
            f"{BLOCK}.max_total_draft_tokens",
            f"max_total_draft_tokens is {total:g}, outside max_draft_len {length:g} to "
            f"{length * top:g} (dynamic_tree_max_topK {top:g} times as many)",
            f"write {length:g} to {length * top:g}",
            (DRAFT, width),
        )


def suffix_automaton(worker: Worker) -> Iterator[Conflict]:
    """Settings of SA that do not fit."""
    if worker.engine.text(TYPE) != "SA":
        return
    key, pool = f"{BLOCK}.max_matching_ngram_size", f"{BLOCK}.enable_global_pool"
    longest = amount(worker, key) if worker.engine[key].is_set else None
    allowed = longest is None or longest == -1 or 1 <= longest <= LONGEST_NGRAM
    if longest == 0 or (is_on(worker, pool) and not allowed):
        message = f"max_matching_ngram_size is {longest:g}"
        hint = f"write -1 for the longest match, or 1 to {LONGEST_NGRAM}"
        yield Conflict("spec_sa", key, message, hint, (pool,))
    size_key = f"{BLOCK}.global_pool_size"
    size, batch = amount(worker, size_key), amount(worker, "max_batch_size")
    if size is not None and not is_on(worker, pool):
        message = "global_pool_size is set without enable_global_pool"
        yield Conflict("spec_sa", size_key, message, "set enable_global_pool: true")
    elif size is not None and batch is not None and size < batch:
        message = f"global_pool_size {size:g} is below max_batch_size {batch:g}"
        yield Conflict("spec_sa", size_key, message, f"write {batch:g}", ("max_batch_size",))


def schedule(worker: Worker) -> Iterator[Conflict]:
    """A schedule of draft lengths that contradicts max_draft_len or max_concurrency."""
    key, limit = f"{BLOCK}.draft_len_schedule", f"{BLOCK}.max_concurrency"
    written = worker.engine[key].value
    if not isinstance(written, dict) or not written:
        return
    if is_given(worker, limit):
        message = "draft_len_schedule and max_concurrency are both set"
        yield Conflict("spec_concurrency", key, message, "keep one of them", (limit,))
    lengths = {number(batch): number(length) for batch, length in written.items()}
    steps = sorted((b, n) for b, n in lengths.items() if b is not None and n is not None)
    longest = amount(worker, DRAFT)
    if len(steps) != len(written) or longest is None:
        return
    wrong = [f"{b:g}: {n:g}" for b, n in steps if b < 1 or not 0 <= n <= longest]
    if not wrong and steps[0][1] != longest:
        wrong = [f"{steps[0][0]:g}: {steps[0][1]:g}"]
    if wrong:
        yield Conflict(
            "spec_schedule",
            key,
            f"draft_len_schedule has {', '.join(wrong)} with max_draft_len {longest:g}",
            f"begin with {longest:g} at the smallest batch and stay between 0 and {longest:g}",
            (DRAFT,),
        )


SPECULATION = (unsupported_type, draft, draft_tree, suffix_automaton, schedule)

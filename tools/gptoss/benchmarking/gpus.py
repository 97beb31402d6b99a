"""GPUs of a deployment by the role of their workers, and what is divided by them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gptoss.text.errors import InputError

AGGREGATED = "aggregated"
ROLES = (AGGREGATED, "prefill", "decode")


@dataclass(frozen=True)
class Gpus:
    """How many GPUs the workers of each role have, all replicas together."""

    aggregated: int = 0
    prefill: int = 0
    decode: int = 0

    @property
    def owned(self) -> int:
        """All GPUs, whatever they do: what is paid for."""
        return self.aggregated + self.prefill + self.decode

    @property
    def decoding(self) -> int:
        """GPUs of the workers that write answers; aggregated workers do both."""
        return self.decode + self.aggregated

    def __str__(self) -> str:
        """As in "1 prefill + 4 decode GPUs"."""
        if self.decoding == self.owned:
            return f"{self.owned} GPU{'s' * (self.owned > 1)}"
        return f"{self.prefill} prefill + {self.decoding} decode GPUs"


def per_gpu(value: float | None, count: int) -> float | None:
    """A rate for one GPU; None where the rate or the GPUs are not known."""
    return None if value is None or count < 1 else value / count


def parsed(text: str) -> Gpus:
    """The GPUs that ``--gpus`` gives, as in ``8`` or ``prefill=1,decode=4``.

    Raises:
        InputError: The text is neither.
    """
    if re.fullmatch(r"[1-9][0-9]{0,5}", text):
        return Gpus(aggregated=int(text))
    pairs = re.findall(r"(?:^|,)(\w+)=([0-9]{1,6})(?=,|$)", text)
    counts = {role: int(count) for role, count in pairs}
    whole = ",".join(f"{role}={count}" for role, count in pairs) == text
    if not whole or len(counts) < len(pairs) or not set(counts) <= set(ROLES):
        raise InputError(f"--gpus {text}: give a number, or roles as in prefill=1,decode=4")
    if not Gpus(**counts).decoding:
        raise InputError(f"--gpus {text}: no GPU decodes; give decode=N or aggregated=N")
    return Gpus(**counts)

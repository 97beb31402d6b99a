"""Mixture of experts: does a kernel exist for backend, activation type and GPU?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="M",
    name="Mixture of experts",
    question="does a kernel exist for backend, activation type and GPU?",
    order=5,
    engine_only=True,
)

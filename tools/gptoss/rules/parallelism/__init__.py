"""Parallelism: do the sizes fit GPUs, nodes and model?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="P",
    name="Parallelism",
    question="do the sizes fit GPUs, nodes and model?",
    order=3,
    engine_only=True,
)

"""Benchmark: does it measure this deployment?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="B",
    name="Benchmark",
    question="does it measure this deployment?",
    order=9,
)

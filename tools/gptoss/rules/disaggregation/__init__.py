"""Disaggregation: do prefill and decode understand each other?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="D",
    name="Disaggregation",
    question="do prefill and decode understand each other?",
    order=7,
    engine_only=True,
)

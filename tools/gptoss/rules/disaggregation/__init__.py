"""Disaggregation: do prefill and decode understand each other?"""

from gptoss.rules.family import Family
from gptoss.rules.rule import DYNAMO

FAMILY = Family(
    letter="D",
    name="Disaggregation",
    question="do prefill and decode understand each other?",
    order=7,
    runtimes=DYNAMO,
    engine_only=True,
)

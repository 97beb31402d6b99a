"""Placement: do pods land on nodes that can run them?"""

from gptoss.rules.family import Family
from gptoss.rules.rule import KUBERNETES

FAMILY = Family(
    letter="L",
    name="Placement",
    question="do pods land on nodes that can run them?",
    order=12,
    platforms=KUBERNETES,
)

"""Accuracy: can the engine hold the answers of an evaluation?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="A",
    name="Accuracy",
    question="can the engine hold the answers of an evaluation?",
    order=11,
)

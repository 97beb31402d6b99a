"""Security: is every right needed, and every download pinned?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="X",
    name="Security",
    question="is every right needed, and every download pinned?",
    order=13,
)

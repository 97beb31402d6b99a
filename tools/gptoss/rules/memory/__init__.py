"""Memory: does it fit the GPU?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="K",
    name="Memory",
    question="does it fit the GPU?",
    order=6,
    engine_only=True,
)

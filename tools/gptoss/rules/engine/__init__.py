"""Engine: does the engine take the YAML, and do its sizes fit each other?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="E",
    name="Engine",
    question="does the engine take the YAML, and do its sizes fit each other?",
    order=4,
    engine_only=True,
)

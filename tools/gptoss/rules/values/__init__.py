"""Values: does Helm render the target?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="V",
    name="Values",
    question="does Helm render the target?",
    order=15,
    suppressible=False,
)

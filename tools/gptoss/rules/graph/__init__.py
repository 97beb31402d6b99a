"""Graph: will the operator accept it, and will every worker be discovered?"""

from gptoss.rules.family import Family
from gptoss.rules.rule import DYNAMO, KUBERNETES

FAMILY = Family(
    letter="G",
    name="Graph",
    question="will the operator accept it, and will every worker be discovered?",
    order=1,
    runtimes=DYNAMO,
    platforms=KUBERNETES,
)

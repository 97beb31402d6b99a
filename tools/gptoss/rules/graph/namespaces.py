"""Are names of namespaces such as can be, and do addresses lead to the right one?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.rule import ANY, Said, Severity, rule
from gptoss.rules.subjects import PODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.pods import Pod
    from gptoss.text.places import HasPlace

# service.namespace, service.namespace.svc and so on, before a port, a path or the end.
ADDRESS = re.compile(
    r"(?<![\w.-])([a-z0-9][a-z0-9-]*)\.([A-Za-z0-9-]+)(?:\.svc(?:\.[\w.-]+)?)?"
    r"(?=[:/\s\"']|$)"
)
# What a program writes where it was given no namespace.
NOTHING = ("none", "null", "nil", "undefined")


@rule(
    "G106",
    "namespace-refused",
    Severity.ERROR,
    reports="namespace-refused",
    hint="write the namespace's name, or leave it out and give it to whoever applies the manifest",
    runtimes=ANY,
)
def namespace_refused() -> None:
    """An object is in a namespace that cannot be called so.

    Names of namespaces have lower case letters, digits and hyphens. None is what a script writes
    that was given no name. Nothing can be created there.
    """


@rule(
    "G107",
    "address-in-another-namespace",
    Severity.WARNING,
    of=PODS,
    runtimes=ANY,
)
def address_in_another_namespace(pod: Pod, deployment: Deployment) -> Iterator[Said]:
    """An address of the deployment's own Service names another namespace than the deployment's.

    The name resolves to nothing there, or to a deployment of the same name: every request fails,
    or another deployment is measured.
    """
    services = {service.name for service in deployment.services}
    services |= {f"{deployment.name}-{part.name.lower()}" for part in deployment.components}
    own = deployment.namespace
    for place, text in _texts(pod):
        for found in ADDRESS.finditer(text):
            service, namespace = found[1], found[2]
            wrong = namespace.lower() in NOTHING or (own and namespace != own.value)
            if service not in services or not wrong:
                continue
            there = f"the deployment is in {own.value!r}" if own else "no namespace is called so"
            yield Said(
                place,
                f"{found[0]} is an address in the namespace {namespace!r}, but {there}",
                f"write {service}, which is found in the own namespace, or the right namespace",
                also=[(own, f"namespace {own.value}")] if own else [],
            )
            return


def _texts(pod: Pod) -> Iterator[tuple[HasPlace, str]]:
    """What variables and commands say."""
    for variable in pod.environment.values():
        if variable.value:
            yield variable, variable.value
    for command in pod.commands:
        for word in command.words:
            yield word, word.value

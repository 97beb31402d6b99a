"""A deployment out of containers or processes that no Kubernetes object describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.sources.parts.assembly import assemble
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.parts.assembly import Origin
    from gptoss.sources.parts.container import Container


def deployment_of(containers: Iterable[Container], origin: Origin, facts: Facts) -> Deployment:
    """The deployment that containers make.

    Raises:
        InputError: None of them serves a model, several run ``trtllm-serve``, or the release is not
            known.
    """
    deployment = assemble(containers, origin, facts)
    if not deployment.workers and deployment.frontend is None:
        raise InputError(
            "nothing here runs dynamo.trtllm or trtllm-serve; give the file that starts the model",
            origin.place,
        )
    return deployment

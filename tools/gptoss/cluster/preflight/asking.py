"""Every question, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.cluster.live_cluster import DeniedError
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.preflight.claimed_storage import claims
from gptoss.cluster.preflight.namespace_rules import admission, limit_ranges, quota
from gptoss.cluster.preflight.platform_versions import kinds, operator, version
from gptoss.cluster.preflight.references import namespace, references
from gptoss.cluster.preflight.release import names, upgrade
from gptoss.cluster.preflight.room_on_nodes import placement
from gptoss.cluster.preflight.served_fields import fields

if TYPE_CHECKING:
    from gptoss.cluster.live_cluster import Cluster
    from gptoss.cluster.wanted import Wanted

QUESTIONS = {
    "api server": version,
    "definitions": kinds,
    "fields": fields,
    "operator": operator,
    "namespace": namespace,
    "references": references,
    "storage": claims,
    "nodes": placement,
    "quota": quota,
    "limits": limit_ranges,
    "admission": admission,
    "names": names,
    "installed": upgrade,
}


def ask(cluster: Cluster, wanted: Wanted) -> list[Answer]:
    """What a cluster answers to every question about a source.

    Where the account may not look, the answer says which right is missing.

    Raises:
        InputError: The cluster stops answering.
    """
    answers: list[Answer] = []
    for about, question in QUESTIONS.items():
        try:
            answers += question(cluster, wanted)
        except DeniedError as error:
            says = f"the account may not {error.right}"
            do = "grant it (docs/preflight.md has a ClusterRole), or ask somebody who may"
            answers.append(Answer(about, Status.UNKNOWN, says, do))
    return answers

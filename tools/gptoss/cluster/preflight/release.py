"""Is the name free, and if the release is there already: what would an upgrade do?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.checking.against import with_installed
from gptoss.checking.checked import Checked, findings_of
from gptoss.checking.checker import run
from gptoss.cluster.live_cluster import DeniedError
from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.released import INSTANCE, NotInstalledError, installed_beside
from gptoss.comparing.compare import compare
from gptoss.reports.common import hint_of, message_of
from gptoss.rules.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.cluster.live_cluster import Cluster, Object
    from gptoss.cluster.wanted import Wanted
    from gptoss.deployment.model import Deployment
    from gptoss.rules.finding import Finding

HELM_NAME = "meta.helm.sh/release-name"
HELM_NAMESPACE = "meta.helm.sh/release-namespace"
ARGO = "argocd.argoproj.io/tracking-id"
MOST_NAMED = 4
STATUS = {
    Severity.INFO: Status.INFO,
    Severity.WARNING: Status.WARNING,
    Severity.ERROR: Status.ERROR,
}


def names(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Whether objects of the names are there that belong to somebody else."""
    answers = []
    own = 0
    for thing in wanted.objects:
        kind, name = thing["kind"], thing["metadata"]["name"]
        try:
            found = cluster.get(thing["apiVersion"], kind, name)
        except DeniedError as error:
            says = f"whether {kind} {name} is there already cannot be seen"
            answers.append(Answer("names", Status.UNKNOWN, says, f"grant: {error.right}"))
            continue
        if found is None:
            continue
        clash = _clash(found, wanted)
        own += clash is None
        answers += [clash] if clash else []
    answers += _made_by_operator(cluster, wanted)
    yield from answers
    if not answers:
        new = len(wanted.objects) - own
        says = (
            f"{own} of its objects are there already, {new} are new"
            if own
            else "the names of its objects are free"
        )
        yield Answer("names", Status.OK, says)


def _clash(found: Object, wanted: Wanted) -> Answer | None:
    """Why an object that is there is not the release's own."""
    meta = found["metadata"]
    here = f"{found['kind']} {meta['name']}"
    notes, labels = meta.get("annotations") or {}, meta.get("labels") or {}
    owner, where = notes.get(HELM_NAME), notes.get(HELM_NAMESPACE)
    if not wanted.release:
        if owner:
            says = f"{here} belongs to the Helm release {owner}: the next upgrade changes it back"
            return Answer("names", Status.WARNING, says, "upgrade the release, or rename this one")
        return None
    if (owner, where) == (wanted.release, wanted.namespace) or ARGO in notes:
        return None
    if owner:
        says = f"{here} belongs to the Helm release {owner} in {where}: Helm refuses to install"
        return Answer("names", Status.ERROR, says, "give this release another name (--name)")
    if labels.get(INSTANCE) == wanted.release:
        says = f"{here} is there, but Helm did not make it: Helm refuses to install"
        do = "install with --take-ownership (Helm 3.17 or newer), or go on with what made it"
        return Answer("names", Status.WARNING, says, do)
    says = f"{here} is there and belongs to something else: Helm refuses to install"
    return Answer(
        "names", Status.ERROR, says, "give the release another name, or delete the object"
    )


def _made_by_operator(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """Services that the operator would make for the graph, and that somebody else made."""
    if wanted.graph is None:
        return
    for component in wanted.deployment.components:
        name = f"{wanted.deployment.name}-{component.name.lower()}"
        try:
            found = cluster.get("v1", "Service", name)
        except DeniedError as error:
            says = f"whether Service {name} is there already cannot be seen"
            yield Answer("names", Status.UNKNOWN, says, f"grant: {error.right}")
            return
        owners = (found or {}).get("metadata", {}).get("ownerReferences")
        if found and not owners and not wanted.makes("Service", name):
            says = (
                f"Service {name}, which the operator makes for {component.name}, is there already"
            )
            do = "delete it, or give the release another name"
            yield Answer("names", Status.ERROR, says, do)


def upgrade(cluster: Cluster, wanted: Wanted) -> Iterator[Answer]:
    """What an upgrade of what runs would change, and what of it is refused."""
    untold: list[str] = []
    try:
        found = installed_beside(cluster, [wanted.deployment], wanted.facts, untold.append)
        (paired,) = with_installed([wanted.deployment], found)
    except NotInstalledError:
        yield Answer("installed", Status.OK, "it is not installed yet")
        return
    yield from (Answer("upgrade", Status.UNKNOWN, says) for says in untold)
    before = paired.installed
    if before is None:
        return
    for finding in _about_the_change(paired, wanted):
        status = STATUS[finding.severity]
        says = f"{message_of(finding)} [{finding.rule.id}]"
        yield Answer("upgrade", status, says, hint_of(finding))
    changes = list(dict.fromkeys(f"{d.subject} {d.setting}" for d in compare(before, paired)))
    release = before.release.version if before.release else "an unknown release"
    installed = f"{before.name} is installed ({release})"
    if not changes:
        yield Answer("installed", Status.OK, f"{installed}, and serves with the same settings")
        return
    more = f" and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    told = ", ".join(changes[:MOST_NAMED])
    says = f"{installed}; an upgrade changes {told}{more}"
    do = f"gptoss check {wanted.label} --against cluster says what each change does"
    yield Answer("installed", Status.INFO, says, do)


def _about_the_change(paired: Deployment, wanted: Wanted) -> list[Finding]:
    """What the rules say of it in place of what runs, and not of it alone."""
    alone = set(run(replace(paired, installed=None), wanted.facts).findings)
    result = run(paired, wanted.facts)
    found = tuple(finding for finding in result.findings if finding not in alone)
    return findings_of([Checked(paired, replace(result, findings=found))])

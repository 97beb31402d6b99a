"""Does what installs the release, Flux or Argo CD, give it time, and remove what has become old?"""

from __future__ import annotations

from gptoss.rules.rule import ANY, Severity, rule


@rule(
    "G160",
    "release-too-short",
    Severity.WARNING,
    reports="release-too-short",
    hint="write timeout: 2h, or disableWait: true below install and upgrade",
    runtimes=ANY,
)
def release_too_short() -> None:
    """A HelmRelease of Flux waits for less time than the model takes to be there.

    The weights take up to an hour to download, once, and every start of a worker 15 to 30 minutes.
    Flux waits for pods and Jobs, calls the release failed when the time is over, and may then
    remedy it.
    """


@rule(
    "G161",
    "release-uninstalled",
    Severity.WARNING,
    reports="release-uninstalled",
    hint="write strategy: {name: RetryOnFailure} in place of remediation",
    runtimes=ANY,
)
def release_uninstalled() -> None:
    """A HelmRelease of Flux uninstalls what has failed before it tries again.

    A model that loads longer than the time-out is taken down and loads anew, as often as there are
    retries. RetryOnFailure, which Flux has from 2.7 on, tries again over what is there.
    """


@rule(
    "G162",
    "sync-without-prune",
    Severity.WARNING,
    reports="sync-without-prune",
    hint="write automated: {prune: true}; the claim with the weights is kept all the same",
    runtimes=ANY,
)
def sync_without_prune() -> None:
    """An Application of Argo CD syncs by itself and does not remove what Git no longer has.

    A Job whose content changes is another Job by name. The old one stays, and the Application is
    OutOfSync from then on.
    """


@rule(
    "G163",
    "release-values-not-read",
    Severity.INFO,
    reports="values-not-read",
    hint="give the folder that holds them, or put them into the file itself",
    runtimes=ANY,
)
def release_values_not_read() -> None:
    """A HelmRelease or an Application takes something from where it is not read.

    Values of Secrets, of ConfigMaps that are not given along and of web addresses, parameters that
    are files and post-renderers may set what the rules judge.
    """

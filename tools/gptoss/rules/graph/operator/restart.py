"""Will the operator carry out the restart that a graph asks for?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gptoss.rules.readings import quoted
from gptoss.rules.rule import Need, Said, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.operator import Restart
    from gptoss.facts.world import Release

PARALLEL = "Parallel"
# Operators after 1.2 refuse a new object that asks for a restart.
NOT_ON_CREATE_FROM = (1, 3)


@rule(
    "G070",
    "restart-order-refused",
    Severity.ERROR,
)
def restart_order_refused(deployment: Deployment) -> Iterator[Said]:
    """The order of a restart is not every component of the graph, once and by its name.

    The operator's webhook refuses the whole graph. All components at once, strategy Parallel, have
    no order.
    """
    restart = deployment.operator.restart
    if restart is None or not restart.order:
        return
    if restart.strategy and restart.strategy.value == PARALLEL:
        yield Said(
            restart.order[0],
            "the restart strategy is Parallel and has an order, which the operator refuses",
            "leave out the order, or write type: Sequential",
            also=[(restart.strategy, "restarts all at once")],
        )
        return
    wrong = _wrong_order(restart, [component.name for component in deployment.components])
    if wrong:
        yield Said(
            restart.order[0],
            f"the order of the restart {wrong}, which the operator refuses",
            "name every component of the graph once, as it is written there",
        )


def _wrong_order(restart: Restart, components: list[str]) -> str | None:
    order = [name.value for name in restart.order]
    twice = [name for name, times in Counter(order).items() if times > 1]
    unknown = [name for name in order if name not in components]
    missing = [name for name in components if name not in order]
    told = [f"names {quoted(unknown)}, which the graph does not have"] if unknown else []
    told += [f"names {quoted(twice)} twice"] if twice else []
    told += [f"leaves out {quoted(missing)}"] if missing else []
    return quoted(told) or None


@rule(
    "G071",
    "restart-before-install",
    Severity.WARNING,
    needs=(Need.RELEASE,),
)
def restart_before_install(release: Release, deployment: Deployment) -> Iterator[Said]:
    """The graph asks for a restart, and nothing says that it is installed already.

    Operators after release 1.2 refuse to create an object with spec.restart. The request works on
    the deployment that is installed; the same file cannot be installed anew. With --against the
    rule knows that something is installed and stays silent.
    """
    restart = deployment.operator.restart
    if restart is None or deployment.installed is not None:
        return
    if release.number >= NOT_ON_CREATE_FROM:
        yield Said(
            restart,
            "the graph asks for a restart, which the operator refuses where the deployment is not "
            "installed yet",
            "remove spec.restart once the restart is done",
            also=[(deployment.release_place, f"release {release.version}")],
        )

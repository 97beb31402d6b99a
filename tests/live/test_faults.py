"""Parts of a disaggregated target ended under load: what clients see, and that it heals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gptoss.live.clients import Kind, Load, Service
from gptoss.live.injuries import injure
from gptoss.live.questions import questions
from gptoss.live.simulation import simulate
from gptoss.sources.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.live.running import Running

pytestmark = pytest.mark.live

CLIENTS = 6
GRACE = 2
PATIENCE = 180
WHOLE = 20
STREAMS = [question for question in questions(128, 64) if question.body.get("stream")]
# What "not now" looks like: nothing but the frontend's own statuses.
NOT_NOW = {"refused 404", "refused 500", "refused 503", "no connection"}


@pytest.fixture(scope="module", params=["1.2.1", "1.3.1"])
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    target = Request(("disagg-b200-node",), settings=(f"shutdown.longestAnswerSeconds={GRACE}",))
    with simulate(target, release=request.param, apart=True) as found:
        found.ready(PATIENCE)
        yield found


@pytest.mark.parametrize("part", ["prefill", "decode", "frontend"])
@pytest.mark.parametrize("action", ["kill", "term"])
def test_at_most_what_is_in_flight_is_lost_and_all_is_well_afterwards(
    running: Running, part: str, action: str
) -> None:
    with Load(Service(running.url), running.model, STREAMS, clients=CLIENTS) as load:
        load.until(WHOLE)
        injury = injure(running, load, part, action, down=CLIENTS, whole=WHOLE)
    seen = Counter(o.title for o in load.outcomes if o.kind is not Kind.OK)
    lost = [o for o in load.outcomes if o.is_lost]
    print(f"{part} {action}: {dict(seen)}; well {injury.healed - injury.started:.1f} s after start")  # noqa: T201
    assert len(lost) <= CLIENTS
    assert all(outcome.began <= injury.gone for outcome in lost)
    assert set(seen) - {o.title for o in lost} <= NOT_NOW
    # A frontend cuts off what is being prefilled then: the chart's preStop is for that.
    if action == "term" and part != "frontend":
        assert not lost

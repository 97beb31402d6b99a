"""Every image that the default release pulls is known by its digest, or as one without."""

from __future__ import annotations

import re

import pytest

from gptoss.facts.image_digests import full_name
from gptoss.facts.world import Facts
from gptoss.rendering.compose import NATS_IMAGE
from gptoss.rendering.containers import ETCD_IMAGE
from gptoss.rendering.monitoring import GRAFANA_IMAGE, PROMETHEUS_IMAGE
from tests.chart.rendering import CHART

FACTS = Facts()


def pulled() -> set[str]:
    """The images that the chart and what is rendered name by themselves."""
    release = FACTS.default_release
    templates = [path.read_text(encoding="utf-8") for path in CHART.glob("templates/**/*.tpl")]
    own = {image for text in templates for image in re.findall(r'"image" "([^"]+)"', text)}
    assert own
    return {
        *own,
        f"{FACTS.image}:{release.version}",
        f"{FACTS.serve_image}:{release.trtllm}",
        *map(full_name, (ETCD_IMAGE, NATS_IMAGE, PROMETHEUS_IMAGE, GRAFANA_IMAGE)),
    }


def test_each_image_of_the_default_release_has_an_entry_and_no_other_has() -> None:
    assert set(FACTS.digests) == pulled()


def test_a_digest_is_one_that_two_who_have_nothing_to_do_with_each_other_publish() -> None:
    confirmed = [known for known in FACTS.digests.values() if known.digest]
    assert confirmed
    assert [known for known in confirmed if len({s.split("/")[0] for s in known.seen}) < 2] == []


@pytest.mark.parametrize(
    ("reference", "full"),
    [
        ("nats:2.11", "docker.io/library/nats:2.11"),
        ("prom/prometheus:v3", "docker.io/prom/prometheus:v3"),
        ("quay.io/coreos/etcd:v3", "quay.io/coreos/etcd:v3"),
        ("localhost/etcd:v3", "localhost/etcd:v3"),
        ("mirror:5000/etcd:v3", "mirror:5000/etcd:v3"),
    ],
)
def test_a_reference_without_a_registry_is_one_of_docker_s(reference: str, full: str) -> None:
    assert full_name(reference) == full

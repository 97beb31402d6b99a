"""Helm judges the engine settings by the release that the target names."""

import pytest

from tests.chart.rendering import HELMS, RELEASES, refusal, text

DISAGG = "disagg-gb200"
ENGINE = "workers.decode.engine"


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("release", "setting"),
    [
        ("1.2.1", "max_batchsize=3"),
        ("1.2.1", "enable_resource_governor=false"),
        ("1.3.1", "max_batchsize=3"),
        ("1.4.2", "max_batchsize=3"),
    ],
)
def test_a_key_that_the_release_does_not_know_is_refused_by_name(
    helm: str, release: str, setting: str
) -> None:
    message = refusal(DISAGG, f"runtime.release={release}", f"{ENGINE}.{setting}", helm=helm)
    assert "at '/workers/decode/engine'" in message
    assert f"'{setting.partition('=')[0]}' not allowed" in message


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("release", "setting"),
    [
        ("1.2.1", "stream_interval=20"),
        ("1.4.2", "enable_resource_governor=false"),
        ("1.5.1", "kv_cache_config.block_reuse_config.policy=per_conversation"),
        (list(RELEASES)[-1], "newer_than_what_is_known=1"),
    ],
)
def test_a_key_that_the_release_may_know_is_passed_on(
    helm: str, release: str, setting: str
) -> None:
    name = setting.partition("=")[0].rpartition(".")[2]
    rendered = text(DISAGG, f"runtime.release={release}", f"{ENGINE}.{setting}", helm=helm)
    assert f"{name}:" in rendered

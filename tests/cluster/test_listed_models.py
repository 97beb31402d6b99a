"""What a server in a cluster lists is told, or why it is not known."""

from typing import TYPE_CHECKING, Any, cast

import pytest

from gptoss.cluster import listed_models
from gptoss.cluster.listed_models import model_words
from gptoss.cluster.pod_words import State

if TYPE_CHECKING:
    from gptoss.cluster.live_cluster import Cluster

POD: dict[str, Any] = {"metadata": {"name": "frontend-0", "namespace": "serving"}}


@pytest.mark.parametrize("body", [b"[" * 100_000, b"{", b"\xff", b"[]", b'{"data": 1}'])
def test_what_is_no_listing_leaves_the_models_unknown(
    monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr(listed_models, "_asked", lambda *_: (200, body))
    words = model_words(cast("Cluster", None), POD, workers_ready=True)
    assert words.state is State.UNKNOWN
    assert "frontend-0 was not to be asked: " in words.text

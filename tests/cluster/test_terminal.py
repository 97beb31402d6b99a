"""What the tests take for a warning of Helm or kubectl."""

from __future__ import annotations

import pytest

from tests.cluster.terminal import warnings

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    "said",
    [
        'Warning: unknown field "spec.timeOut"',
        "WARNING: Kubernetes configuration file is group-readable.",
        'level=WARN msg="warning: cannot overwrite table with non table"',
        "W1123 00:28:22.643273     974 warnings.go:70] spec.SessionAffinity: warning",
    ],
)
def test_what_warns_its_user_is_a_warning(said: str) -> None:
    assert warnings(f"NAME: gpt-oss\n{said}\n") == [said]


def test_a_watch_that_was_cut_short_is_none() -> None:
    told = 'reflector.go:664] "Warning: watch ended with error" type="/v1, Kind=ConfigMap"'
    assert warnings(f"I1123 00:28:22.643273     974 {told}\n") == []

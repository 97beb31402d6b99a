"""From a kubeconfig to a cluster, as far as one comes without any."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gptoss.cluster.connecting import connect
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

# Nothing listens there: it is the discard service's port.
CLOSED = "https://127.0.0.1:9"


@pytest.fixture
def kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kubeconfig"
    write(path, {"token": "secret"})
    monkeypatch.setenv("KUBECONFIG", str(path))
    return path


def write(path: Path, user: dict[str, Any], current: str = "here") -> None:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "one", "cluster": {"server": CLOSED}}],
        "users": [{"name": "me", "user": user}],
        "contexts": [{"name": "here", "context": {"cluster": "one", "user": "me"}}],
        "current-context": current,
    }
    path.write_text(yaml.safe_dump(config), "utf-8")


def refusal(context: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        connect(context)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    assert "pip install 'gptoss[cluster]'" in refusal()


def test_a_kubeconfig_that_is_not_there_is_named(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{kubeconfig}.none")
    assert f"{kubeconfig}.none" in refusal()


@pytest.mark.parametrize("text", ["a: [", "- 1", "", "contexts: 3"])
def test_a_file_that_is_no_kubeconfig_is_refused(text: str, kubeconfig: Path) -> None:
    kubeconfig.write_text(text, "utf-8")
    assert str(kubeconfig) in refusal()


@pytest.mark.usefixtures("kubeconfig")
def test_a_context_that_is_not_there_is_named_with_those_that_are() -> None:
    assert "--context other" in refusal("other")
    assert "but here" in refusal("other")


def test_without_a_current_context_it_asks_for_one(kubeconfig: Path) -> None:
    write(kubeconfig, {"token": "secret"}, current="")
    assert "--context (here)" in refusal()


@pytest.mark.usefixtures("kubeconfig")
def test_a_server_that_does_not_answer_is_named() -> None:
    assert f"cluster here ({CLOSED}) does not answer" in refusal()


def test_a_login_helper_that_fails_is_told_of(kubeconfig: Path) -> None:
    version = "client.authentication.k8s.io/v1"
    helper = {"apiVersion": version, "command": "false", "interactiveMode": "Never"}
    write(kubeconfig, {"exec": helper})
    assert "returned 1" in refusal()

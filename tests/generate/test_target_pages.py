"""The pages of the targets."""

import json
import re
import shlex
from pathlib import Path

import pytest

from generate.target_pages import TEMPLATES
from generate.target_settings import comment_at
from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import RULES
from gptoss.text import plain_yaml
from gptoss.text.places import Place
from tests.chart.rendering import ROOT
from tests.shellcheck import passes_shellcheck

PAGES = sorted((ROOT / "docs/targets").glob("*-*.md"))
BASH = re.compile(r"```bash\n(.*?)```", re.DOTALL)
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def requests_of(page: Path) -> list[list[str]]:
    """The words of every curl command."""
    blocks = BASH.findall(page.read_text(encoding="utf-8"))
    return [shlex.split(block) for block in blocks if " -d '" in block]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_every_kind_of_request_as_json(page: Path) -> None:
    bodies = [json.loads(words[-1]) for words in requests_of(page)]
    assert {body["model"] for body in bodies} == {"openai/gpt-oss-120b"}
    assert [body for body in bodies if "input" in body]
    assert [body for body in bodies if body.get("top_p") == 1]
    first, second = [body for body in bodies if "tools" in body]
    assert [m["role"] for m in first["messages"]] == ["user"]
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_asks_for_reasoning_effort_in_the_words_of_its_server(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    serve = "with `trtllm-serve`" in text
    efforts = [json.loads(words[-1]) for words in requests_of(page) if "effort" in words[-1]]
    assert efforts
    assert all(("reasoning_effort" in body) is serve for body in efforts)
    assert all(("chat_template_args" in body) is not serve for body in efforts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_shell_commands_of_a_page_pass_shellcheck(page: Path) -> None:
    passes_shellcheck(*BASH.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_application_of_a_page_names_values_that_are_there(page: Path) -> None:
    (application,) = YAML.findall(page.read_text(encoding="utf-8"))
    source = plain_yaml.load(application)["spec"]["source"]
    for name in source["helm"]["valueFiles"]:
        assert (ROOT / source["path"] / name).resolve().is_file()


def test_every_trouble_names_rules_that_exist() -> None:
    entries = plain_yaml.load((TEMPLATES / "troubleshooting.yaml").read_text(encoding="utf-8"))
    assert {rule for entry in entries for rule in entry.get("rules", ())} <= set(RULES)


def test_a_reason_is_the_comment_above_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "engine.yaml"
    path.write_text("# head\na: 1\n# why b\n# is 2\nb: 2\nc: 3\n", encoding="utf-8")
    assert comment_at(Place(str(path), 5)) == "why b is 2"
    assert comment_at(Place(str(path), 6)) == ""
    assert comment_at(Place(str(path), 2)) == ""

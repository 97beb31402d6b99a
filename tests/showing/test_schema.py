"""The engine schema that editors get is that of the release asked for."""

from __future__ import annotations

import json

import pytest

from gptoss.facts.world import Facts
from gptoss.showing.schema import engine_schema
from gptoss.text.errors import InputError

FACTS = Facts()


@pytest.mark.parametrize("release", FACTS.releases)
def test_every_release_has_the_schema_of_its_engine(release: str) -> None:
    schema = json.loads(engine_schema(release, FACTS))
    assert FACTS.releases[release].trtllm in schema["title"]
    assert "max_batch_size" in schema["properties"]


def test_a_patch_release_has_the_schema_of_its_minor_release() -> None:
    assert engine_schema("1.4.0", FACTS) == engine_schema("1.4.2", FACTS)


def test_an_unknown_release_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match=r"release 9\.9 is not known; it is one of .*1\.2\.1"):
        engine_schema("9.9", FACTS)

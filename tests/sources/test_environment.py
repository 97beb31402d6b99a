"""Variables of a container, with the references that Kubernetes fills in."""

import pytest

from gptoss.sources.parts.environment import variables
from gptoss.sources.parts.reading import Scope, as_rendered
from gptoss.text import budget
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import parse_documents


def read(text: str) -> dict[str, str | None]:
    found = variables(parse_documents(text, "env.yaml")[0], Scope(as_rendered))
    return {name: variable.value for name, variable in found.items()}


def test_references_to_earlier_variables_are_filled_in() -> None:
    text = "[{name: A, value: x}, {name: B, value: $(A)$(A)}, {name: C, value: $(D)$$(A)}]"
    assert read(text) == {"A": "x", "B": "xx", "C": "$(D)$(A)"}


def test_references_that_double_each_other_are_refused_at_their_line() -> None:
    lines = [f"- {{name: V{n + 1}, value: $(V{n})$(V{n})}}" for n in range(40)]
    with pytest.raises(InputError, match="grow beyond 131,072 characters") as caught:
        read("\n".join(["- {name: V0, value: xxxx}", *lines]))
    assert caught.value.place is not None
    assert caught.value.place.line > 10


def test_references_of_a_run_grow_within_its_budget() -> None:
    lines = [f"- {{name: V{n}, value: $(LONG)}}" for n in range(60)]
    text = "\n".join([f"- {{name: LONG, value: {'x' * 100_000}}}", *lines])
    with budget.run(), pytest.raises(InputError, match="characters that variables expand to"):
        read(text)

"""Promises of gptoss.command_lines.click_words: it reads a command line as click itself does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gptoss.command_lines.arguments import Kind
from gptoss.facts.programs import SERVE
from tests.command_lines.words import arguments_of, known

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Type = click.ParamType[Any, Any]

FLAGS = known(SERVE, "1.3.0rc14")


TYPES: dict[str, Type] = {"int": click.INT, "float": click.FLOAT}


def _option(name: str, types: Mapping[str, Type]) -> click.Option:
    flag = FLAGS.flags[name]
    declared = [name, *(alias for alias in flag.aliases if not alias.startswith("--no-"))]
    destination = "out_" + name.strip("-").replace("-", "_")
    if not flag.takes_value:
        negative = next((a for a in flag.aliases if a.startswith("--no-")), None)
        declared = [f"{name}/{negative}"] if negative else declared
        return click.Option([*declared, destination], is_flag=True, default=flag.default)
    several = flag.nargs == "append"
    default = None if several else flag.default
    kind = types.get(flag.type, click.STRING)
    return click.Option([*declared, destination], multiple=several, type=kind, default=default)


class DefaultGroup(click.Group):
    """As trtllm-serve has it: an unknown sub-command means serve."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            return "serve", self.commands["serve"], args
        return super().resolve_command(ctx, args)


def _accept(**_given: object) -> None:
    """Takes anything: only the parser is of interest."""


def _command(types: Mapping[str, Type]) -> click.Command:
    options = (_option(name, types) for name in FLAGS.flags)
    return click.Command("serve", params=[click.Argument(["model"]), *options], callback=_accept)


GROUP = DefaultGroup(commands={"serve": _command({})})
WORDS = st.one_of(
    st.sampled_from(sorted(FLAGS.spellings)),
    st.sampled_from(["model", "8", "-1", "--", "-", "", "a b", "--unknown", "--tp", "-x", "serve"]),
    st.sampled_from(["--tp_size=8", "--grpc=1", "--host=", "--unknown=1", "--max-batch-size"]),
)


def reads(words: list[str], *, named: bool) -> bool:
    arguments = arguments_of(FLAGS, *(["serve"] if named else []), *words)
    return bool(arguments.words) and not arguments.faults


@given(words=st.lists(WORDS, max_size=6))
def test_what_click_refuses_is_a_fault_and_nothing_else(words: list[str]) -> None:
    result = CliRunner().invoke(GROUP, ["serve", *words])
    assert reads(words, named=True) is (result.exit_code == 0), result.output


@given(
    words=st.lists(WORDS.filter(lambda word: word not in ("serve", "--")), min_size=1, max_size=6)
)
def test_without_sub_command_flags_before_the_model_are_refused(words: list[str]) -> None:
    result = CliRunner().invoke(GROUP, words)
    assert reads(words, named=False) is (result.exit_code == 0), result.output


@pytest.mark.parametrize(
    ("line", "kinds", "model"),
    [
        ("openai/gpt-oss-120b --tp_size 8", [], "openai/gpt-oss-120b"),
        ("--model openai/gpt-oss-120b", [Kind.UNKNOWN], "openai/gpt-oss-120b"),
        ("m --moe_backend TRTLLM --ep_size 4", [Kind.UNKNOWN], "m"),
        ("m n", [Kind.STRAY], "m"),
        ("m --trust_remote_code=true", [Kind.STRAY], "m"),
        ("m --tp_size", [Kind.NO_VALUE], "m"),
        ("m $EXTRA", [], "m"),
        ("--tp_size 8", [], None),
    ],
)
def test_every_word_that_is_refused_is_told_with_its_reason(
    line: str, kinds: list[Kind], model: str | None
) -> None:
    arguments = arguments_of(FLAGS, "serve", *line.split())
    assert [fault.kind for fault in arguments.faults] == kinds
    assert (arguments.words[0].value if arguments.words else None) == model


@st.composite
def right_words(draw: st.DrawFn) -> list[str]:
    words = ["model"]
    for flag in draw(st.lists(st.sampled_from(list(FLAGS.flags.values())), max_size=5)):
        spelling, value = draw(st.sampled_from(flag.spellings)), draw(st.sampled_from(["7", "12"]))
        if not flag.takes_value:
            words.append(spelling)
        else:
            words += draw(st.sampled_from([[spelling, value], [f"{spelling}={value}"]]))
    return words


@given(words=right_words())
def test_every_flag_is_set_to_what_click_takes(words: list[str]) -> None:
    taken = _command(TYPES).make_context("serve", list(words)).params
    for name, found in arguments_of(FLAGS, "serve", *words).in_force().items():
        real = taken["out_" + name.strip("-").replace("-", "_")]
        real = list(real) if isinstance(real, tuple) else real
        # Without a default click has an empty list or false where the facts have none.
        assert found.value == real or (found.place is None and not (found.value or real))

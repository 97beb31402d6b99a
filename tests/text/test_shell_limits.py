"""What reading a script may spend, and that it says so where a script asks for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.places import Place
from gptoss.text.shell import words as shell_words
from gptoss.text.shell.braces import MAX_BRACES
from gptoss.text.shell.conditions import holds
from gptoss.text.shell.evaluation import read_script
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from gptoss.text.shell.result import Script

COMMANDS, WORDS = "commands of scripts", "words of commands"
EXPANDED, VARIABLES = "characters that variables expand to", "variables of scripts"
LONG = "a=" + "x" * 15_000 + "\n"
MANY = "export " + " ".join(f"a{n}=1" for n in range(90)) + "\n"


def read(text: str) -> Script:
    with budget.run():
        return read_script(Tree(text, Place("s.sh", 0), None, 0), {}, ("s.sh",))


def lines(text: str) -> list[str]:
    return [command.line for command in read(text).commands]


SPENDING = {
    "loops in each other": (
        "for a in 1 2 3 4 5 6 7 8; do " * 40 + "run; " + "done; " * 40,
        COMMANDS,
    ),
    "functions for ever": ("a() { b; b; x; }\nb() { a; a; }\na", COMMANDS),
    "function with many words": ("f() { : " + "w " * 90 + "; f; f; }; f", WORDS),
    "loop with many words": ("for i in " + "w " * 90 + "\ndo : " + "v " * 90 + "; done", WORDS),
    "words that are long": (f"{LONG}: $a$a\n" * 5, EXPANDED),
    "assignments that are long": (LONG + 'b="$a"\n' * 5, EXPANDED),
    "words evaluated": ("a='" + "b;" * 400 + "'\n" + 'eval "$a"\n' * 100, "more than"),
    "arguments that are empty": ("set -- " + "'' " * 90 + '\nrun "' + "$@" * 500 + '"', EXPANDED),
    "patterns of case": (f"{LONG}case $a in " + "*b*c*d|" * 20 + "e) run ;; esac", EXPANDED),
    "patterns cut off": ("a=" + "x" * 3_000 + "\nrun ${a%%*b*c*d}", EXPANDED),
    "ranges": ("run " + "{1..500}xxxxxxx " * 20, EXPANDED),
    "a file that grows": (("cat >> f <<E\n" + "x" * 500 + "\nE\n") * 30, EXPANDED),
    "a document again and again": (
        "for i in a b c; do cat <<E\n" + "x\n" * 10_000 + "E\ndone",
        EXPANDED,
    ),
    "variables of branches": (MANY + "(b=1)\n" * 150, VARIABLES),
    "variables of commands": (MANY + "run\n" * 150, VARIABLES),
    "files": ("".join(f"echo > {n}.yaml\n" for n in range(150)), VARIABLES),
}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundredth of what a run may spend."""
    for kind in Kind:
        monkeypatch.setattr(kind, "limit", kind.limit // 100)
    monkeypatch.setattr(Kind.VARIABLES, "limit", 4000)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("name", SPENDING)
def test_a_script_that_asks_for_too_much_is_refused_with_the_limit_and_the_place(name: str) -> None:
    text, limit = SPENDING[name]
    with pytest.raises(InputError, match=limit) as caught:
        read(text)
    assert caught.value.place is not None
    assert caught.value.place.file == "s.sh"


def test_brackets_that_are_never_closed_are_not_looked_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shell_words, "MAX_LOOKED_AHEAD", 5000)
    assert read("((a) " * 10)
    with pytest.raises(InputError, match="brackets that are never closed"):
        read("((a) " * 100)


@pytest.mark.usefixtures("little")
def test_scripts_of_a_run_spend_together() -> None:
    tree = Tree("run\n" * (Kind.STEPS.limit // 2 + 1), Place("s.sh", 0), None, 0)
    with budget.run():
        read_script(tree, {})
        with pytest.raises(InputError, match=COMMANDS):
            read_script(tree, {})


def test_a_loop_of_many_turns_is_one_of_which_it_is_not_known_how_often_it_runs() -> None:
    script = read("for i in {1..400}; do\n" + "a\n" * 50 + "done\nlast $i")
    assert [step.counted for step in script.steps[:50]] == [True] * 50
    assert not script.steps[-2].counted
    assert script.steps[-1].command.line == "last ${i}"
    assert len(script.steps) < 3000


NESTED = {
    "groups": "( " * 1000 + "run" + " )" * 1000,
    "brackets": "(" * 1000 + "run" + ")" * 1000,
    "conditions": "if " * 1000 + "run",
    "substitutions": "run " + "$(" * 1000,
    "printed": "run " + "$(echo " * 100 + "x" + ")" * 100,
    "defaults": "run " + "${a:-" * 1000 + "}" * 1000,
    "quotes": "run " + '"$(' * 1000,
    "arithmetic": "run $((" + "(" * 90 + "1" + ")" * 90 + "))",
    "signs": "run $((" + "-" * 150 + "1))",
    "braces": "run " + "{a," * 1000 + "}" * 1000,
    "braces in a row": "run " + "{a,b}" * 1000,
    "functions": "f() { " * 1000 + "run",
    "branches": "case a in a) " * 1000 + "run",
    "branches after another": "if a; then b; " + "elif a; then b; " * 500 + "fi",
    "denials": "[[ " + "! " * 1000 + "x ]]",
    "tests": "[[ " + "x && " * 1000 + "x ]]",
    "evaluations": "eval '" + "eval " * 1000 + "run'",
    "left open": "run $(" + "${a " * 5000 + ")",
}


@pytest.mark.parametrize("name", NESTED)
def test_nesting_without_end_is_read(name: str) -> None:
    assert read(NESTED[name] + "\n")


def test_braces_beyond_what_is_expanded_stay_as_written() -> None:
    assert lines("run " + "{a,b}" * 3) == [
        "run " + " ".join(f"{x}{y}{z}" for x in "ab" for y in "ab" for z in "ab")
    ]
    for word in ("{a,}" * (MAX_BRACES + 1), "{1..400}" + "x" * 1000):
        assert lines(f"run {word}") == [f"run {word}"]


def test_long_chains_of_tests_hold_as_short_ones_do() -> None:
    assert holds(["!"] * 1001 + ["-n", ""]) is True
    assert holds(["x", "&&"] * 1000 + ["-z", ""]) is True
    assert holds(["x", "&&"] * 1000 + ["-f", "y"]) is None
    assert holds(["x", "&&"] * 1000 + ["-n", "", "&&", "-f", "y"]) is False


def test_what_a_pattern_cuts_off_a_long_value_is_known_where_it_is_plain_text() -> None:
    assert lines(f"{LONG}b=$a,\nrun ${{b%,}}") == ["run " + "x" * 15_000]
    assert lines(f"{LONG}run ${{a%%,*}}") == ["run ${a%%,*}"]
    assert lines("a=n1,n2\nrun ${a%%,*} ${a#*,} ${a#n} ${a%x}") == ["run n1 n2 1,n2 n1,n2"]

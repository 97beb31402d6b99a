"""Promises of gptoss.text.shell: the commands that a script would run."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gptoss.text.places import Place
from gptoss.text.shell.evaluation import read_script
from gptoss.text.shell.resolved import mentioned
from gptoss.text.yaml_tree import Tree, parse_documents, parse_embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.shell.result import Script

START = Place("job.yaml", 10, 5)
SHELL_TEXT = st.text(alphabet="ab1 \n\t'\"\\$(){}<>|&;#`=-+*/~[]:!@", max_size=80)


def script(text: str, environment: Mapping[str, str | None] | None = None, *args: str) -> Script:
    return read_script(Tree(text, START, indent=4), environment or {}, args)


def lines(text: str, environment: Mapping[str, str | None] | None = None) -> list[str]:
    return [command.line for command in script(text, environment).commands]


@given(SHELL_TEXT)
def test_any_text_is_read(text: str) -> None:
    read_script(Tree(text, START, indent=4), {"a": "1", "b": None}, ("sh", "x y"))


@given(st.lists(st.text(alphabet="ab '\"\\$(){}<>|&;#`=-*\n", min_size=1), min_size=1, max_size=6))
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    (command,) = script("run " + shlex.join(words)).commands
    assert [word.value for word in command.words[1:]] == words


PIECES = st.lists(
    st.sampled_from(
        [
            "$a/", "${a}", '"$a"', "'$a'", "x", '"y z"', " ", "\\ ", "$b,", '"$b"', "${c:-d e}",
            '"${c:-$a}"', "${a:+set}", "${b:-empty}", "${b-kept}", "$((n * 3 - 1))", "$((-n / 3))",
            "$((-n % 3))", '"$(( (n+1) * ${n} ))"', "\\\n", "\\$a", '"\\$a\\n"', "$1", '"$2"',
            '"$@"', "a=b", "~", "--flag=${a}", "$1${a}", "''", '""', "# x",
        ]
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(PIECES)
def test_words_are_those_that_sh_makes(pieces: list[str]) -> None:
    text = 'show "." ' + "".join(pieces) + '\nshow "end"'
    environment = {"a": "one two", "b": "", "n": "7", "PATH": "/usr/bin:/bin"}
    arguments = ["zero", "first word", "second"]
    done = subprocess.run(
        ["/bin/sh", "-c", 'show() { printf "%s\\0" "$@"; printf "\\1"; }\n' + text, *arguments],
        env=environment,
        capture_output=True,
        check=False,
    )
    expected = [chunk.split("\0")[:-1] for chunk in done.stdout.decode().split("\1")[:-1]]
    shown = [c for c in script(text, environment, *arguments).commands if c.line[:5] == "show "]
    assert [[word.value for word in command.words[1:]] for command in shown] == expected


def test_a_word_stands_at_its_line_and_column_in_the_outer_file() -> None:
    text = "args:\n  - |\n    # start\n    export N=4\n    python3 -m server \\\n      --gpus $N\n"
    (document,) = parse_documents(text, "file.yaml")
    tree = document.at("args", 0)
    assert tree is not None
    (command,) = read_script(tree, {}).commands
    assert [str(word.place) for word in command.words] == [
        "file.yaml:5:5",
        "file.yaml:5:13",
        "file.yaml:5:16",
        "file.yaml:6:7",
        "file.yaml:6:14",
    ]
    assert command.line == "python3 -m server --gpus 4"


def test_words_of_a_script_on_one_line_stand_where_it_does() -> None:
    (command,) = read_script(Tree("run --fast", START), {}).commands
    assert {word.place for word in command.words} == {START}


def test_commands_are_split_at_every_separator() -> None:
    text = "a && b || c; d | e & f\n(g; h)\n{ i; }\n! j\ntime k > out 2>&1 < in"
    assert lines(text) == list("abcdefghijk")


def test_comments_are_not_commands() -> None:
    assert lines("# a\nb # c\nd#e") == ["b", "d#e"]


def test_what_is_inside_loops_and_branches_is_listed_once() -> None:
    text = """
    while ! ready | grep ok; do sleep 5; done
    if [ -f x ]; then a; elif b; then c; else d; fi
    for n in $N; do e $n; done
    case "$MODE" in
      agg|all) f ;;
      (*) g ;;
    esac
    h
    """
    assert lines(text) == [
        "ready", "grep ok", "sleep 5", "[ -f x ]", "a", "b", "c", "d", "e ${N}", "f", "g", "h",
    ]  # fmt: skip


def test_a_function_runs_where_it_is_called_with_its_arguments() -> None:
    text = """
    run() {
      local size=$1
      bench --size "$size" --requests $((10*size)) --mode ${2:-fast}
    }
    never() { other; }
    function twice { run $1; run $(( $1 * 2 )) slow; }
    start
    twice 8
    echo $size
    """
    assert lines(text) == [
        "start",
        "bench --size 8 --requests 80 --mode fast",
        "bench --size 16 --requests 160 --mode slow",
        "echo ${size}",
    ]


@pytest.mark.parametrize(
    "started", ["coproc G { guard 1; }", "coproc guard 1", "coproc { guard 1\n}"]
)
def test_a_coprocess_runs_in_the_background_and_ends_with_its_command(started: str) -> None:
    found = script(f"f() {{ {started}\nmain $A; }}\nA=x\nf")
    assert [(step.command.line, step.background) for step in found.steps] == [
        ("guard 1", True),
        ("main x", False),
    ]


def test_an_array_without_elements_is_no_function() -> None:
    assert lines('a=()\nf() {\n  "$@" &\n  a+=($!)\n}\nf run "${a[@]}" now') == ["run now"]


def test_an_element_of_an_array_that_is_not_known_is_of_that_array() -> None:
    assert lines('A=1\nL=(a b)\nunset "L[$U]"\nrun $A ${L[0]}') == ["run 1 ${L[0]}"]


def test_assignments_count_from_where_they_stand() -> None:
    text = "echo $X\nX=1 Y='2 3'\nexport Z=$X-$Y\necho $X $Z\nX+=0\necho $X"
    assert lines(text, {"X": "0"}) == ["echo 0", "echo 1 1-2 3", "echo 10"]


def test_what_a_branch_may_change_is_not_known_after_it() -> None:
    text = "if t; then X=1 Y=5; else X=2 Y=5; fi\necho $X $Y\n[ -f $Z ] && Z=3\necho $Z"
    assert lines(text, {"X": "0", "Z": "9"})[1::2] == ["echo ${X} 5", "echo ${Z}"]


def test_a_loop_runs_for_each_value_that_is_known() -> None:
    assert lines("for n in 4; do run $n; done") == ["run 4"]
    assert lines("for n in 4 $N; do run $n; done; run $n", {"N": "8"}) == [
        "run 4",
        "run 8",
        "run 8",
    ]
    nested = "for a in 1 2; do\n for b in x y; do run $a$b & done\n while t; do u; done\ndone; end"
    each = ["run {}x", "run {}y", "t", "u"]
    assert lines(nested) == [line.format(n) for n in (1, 2) for line in each] + ["end"]


def test_each_of_three_loops_in_each_other_ends_with_its_own_done() -> None:
    outer = "for a in 1 2; do\n{}\n run $a; done; end"
    deep = "while t; do for b in x; do until u; do run $a$b; done; v; done; w; done"
    each = ["t", "u", "run {}x", "v", "w", "run {}"]
    assert lines(outer.format(deep)) == [line.format(n) for n in (1, 2) for line in each] + ["end"]


def test_a_loop_over_values_that_are_not_known_runs_once() -> None:
    assert lines("for n in $N; do run $n; done", {"N": None}) == ["run ${N}"]
    assert lines("for n in $(nodes 3); do run $n; done") == ["run $(nodes 3)"]
    assert lines("for n; do run $n; done") == ["run ${n}"]


def test_what_is_not_known_stays_as_written() -> None:
    text = 'run $A "${A}" ${A:?no} $(date +%s) `date` $((A + 1)) ${A%x} $1'
    assert lines(text, {"A": None}) == [
        "run ${A} ${A} ${A:?no} $(date +%s) `date` $((A + 1)) ${A%x} ${1}"
    ]


def test_a_default_does_not_replace_a_value_that_comes_from_elsewhere() -> None:
    assert lines("run ${A:-x} ${B:-y}", {"A": None}) == ["run ${A:-x} y"]


def test_references_that_kubernetes_fills_in_are_filled_in() -> None:
    assert lines("run $(MODEL) $(other thing)", {"MODEL": "m"}) == ["run m $(other thing)"]


def test_exports_reach_the_environment_of_the_commands() -> None:
    read = script("export A=1\nB=2 run\nC=3\nD=$(date)\nexport D\nE=5\n", {"E": "0"})
    assert {name: located.value for name, located in read.exports.items()} == {
        "A": "1",
        "B": "2",
        "D": None,
        "E": "5",
    }


def test_a_here_document_is_kept_with_its_target_and_its_place() -> None:
    text = "cat > /run/engine.yaml <<EOF\nmax_batch_size: $N\ncuda:\n  n: 1\nEOF\nrun"
    read = script(text, {"N": "64"})
    (document,) = read.documents
    assert [command.line for command in read.commands] == ["cat", "run"]
    assert document.target is not None
    assert document.target.value == "/run/engine.yaml"
    tree = parse_embedded(document.content)
    assert tree is not None
    assert tree.plain() == {"max_batch_size": 64, "cuda": {"n": 1}}
    inner = tree.at("cuda", "n")
    assert inner is not None
    assert inner.key == Place("job.yaml", 14, 7)


def test_a_quoted_here_document_is_not_expanded() -> None:
    (document,) = script("tee -a file <<'END'\n$N\nEND\n", {"N": "1"}).documents
    assert document.content.value == "$N\n"
    assert document.target is not None
    assert document.target.value == "file"


def test_an_array_is_no_command_and_gives_its_elements() -> None:
    assert lines("A=(one 'two 3')\nA+=(\n  --x=$X\n)\nrun ${A[@]}", {"X": "4"}) == [
        "run one two 3 --x=4"
    ]
    (command,) = script('A=(one "two 3")\nrun "${A[@]}" end').commands
    assert [word.value for word in command.words] == ["run", "one", "two 3", "end"]


def test_an_array_that_a_branch_may_change_is_not_known() -> None:
    assert lines("A=(1)\nif t; then A+=(2); fi\nrun ${A[@]}")[1:] == ["run ${A[@]}"]
    assert lines("A=(1)\n[ -n $B ] && A+=(2)\nrun ${A[@]}")[1:] == ["run ${A[@]}"]


@pytest.mark.parametrize(
    "folder",
    [
        '$(dirname "$0")',
        "`pwd`",
        '$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)',
        '$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &> /dev/null && pwd)',
        '$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)',
        '$(realpath "$(dirname "$0")")',
        '$(dirname "$(readlink -f "$0")")',
        '$(dirname "$(realpath "${BASH_SOURCE[0]:-$0}")")',
    ],
)
def test_the_folder_of_the_script_is_known_where_it_is_a_file(folder: str) -> None:
    text = f'here="{folder}"\nrun $here/engine.yaml'
    expected = "out" if "dirname" in folder else folder
    (command,) = read_script(Tree(text, START, indent=4), {}, (), "out").commands
    assert command.line == f"run {expected}/engine.yaml"
    assert "dirname" not in folder or "dirname" in lines(text)[0]


def test_a_path_from_the_folder_of_the_script_is_known() -> None:
    text = 'run "$(cd "$(dirname "$0")/../engine" && pwd)/a.yaml"'
    (command,) = read_script(Tree(text, START, indent=4), {}, (), "out").commands
    assert command.line == "run out/../engine/a.yaml"


def test_each_command_has_the_variables_that_were_set_for_it() -> None:
    text = "export A=1\nB=2 one\nf() { two; }\nC=3 f\nA=4\nA=5 D=$X three"
    steps = script(text).steps
    assert [step.command.line for step in steps] == ["one", "two", "three"]
    assert [{n: v.value for n, v in step.environment.items()} for step in steps] == [
        {"A": "1", "B": "2"},
        {"A": "1", "C": "3"},
        {"A": "5", "D": None},
    ]
    assert [step.function for step in steps] == ["", "f", ""]
    assert steps[0].environment["B"].place == Place("job.yaml", 12, 5)


def test_variables_that_a_script_mentions_are_known() -> None:
    text = "run \"$A\" ${B:-$C} $((D * E)) $(F) '$G' H"
    assert mentioned(text) == set("ABCDEFG")

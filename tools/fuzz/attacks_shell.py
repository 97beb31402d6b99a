"""Attacks on whatever reads shell scripts, command lines and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from fuzz.contents import Source
from fuzz.seeds import compose
from fuzz.sizes import size
from tests.sources.manifest_examples import ALPHA, ENGINE

if TYPE_CHECKING:
    from random import Random

SERVE = "trtllm-serve openai/gpt-oss-120b --port 8000"


def environment(random: Random) -> Source:
    """Variables that each name the one before several times."""
    width, levels = size(random, 2, 12), size(random, 2, 25)
    form = random.choice(("$(A{})", "${{A{}}}", "$A{}", "${{A{}:-x}}"))
    values = ["x" * size(random, 1, 2000)]
    values += [form.format(n) * width for n in range(levels)]
    pairs = [(f"A{n}", value) for n, value in enumerate(values)]
    last = form.format(levels)
    if random.random() < 0.4:
        content = compose()
        content["services"]["decode"]["environment"] = dict(pairs)
        content["services"]["decode"]["command"] += ["--x", last]
        files = {"compose.yaml": yaml.safe_dump(content, sort_keys=False).encode()}
        dotenv = "".join(f"{name}={value}\n" for name, value in pairs).encode()
        return Source("", {**files, ".env": dotenv}, ("compose.yaml",))
    if random.random() < 0.4:
        lines = [f"export {name}={value}\n" for name, value in pairs]
        return _script("".join(lines) + f"{SERVE} --x {last}\n")
    listed = "".join(f"\n            - {{name: {name}, value: '{value}'}}" for name, value in pairs)
    manifest = ALPHA.replace("\n            - {name: LEVEL, value: container}", listed, 1)
    return Source("", {"deploy.yaml": f"{ENGINE}---\n{manifest}".encode()}, ("deploy.yaml",))


def loops(random: Random) -> Source:
    """Loops, functions and scripts that run one another."""
    count = size(random, 2, 9000)
    words = " ".join(f"w{n}" for n in range(count))
    times = size(random, 2, 10**9)
    lines = {
        "for": f"for i in {words}; do\n  echo {words}\ndone",
        "serve": f"for i in {words}; do\n  {SERVE} --x $i\ndone",
        "seq": f"for i in $(seq 1 {times}); do {SERVE}; done",
        "braces": f"for i in {{1..{times}}}; do {SERVE}; done",
        "count": f"for ((i = 0; i < {times}; i++)); do {SERVE}; done",
        "ever": "for ((;;)); do :; done",
        "while": f"while true; do {SERVE}; done",
        "nested": "for i in 1 2 3 4 5 6 7 8 9; do " * min(count, 60)
        + ":;"
        + " done;" * min(count, 60),
        "function": f"f() {{ echo {words}; f; f; }}\nf",
        "functions": "\n".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}" for n in range(count)) + "\nf0",
        "written": f"cat > x.sh <<'E'\n{(SERVE + chr(10)) * count}E\n"
        + "bash x.sh\n" * min(count, 2000),
        "itself": "bash serve.sh; bash serve.sh; source serve.sh",
        "documents": "cat > a <<E\nx\nE\n" * count,
        "groups": "(" * count + ")" * count,
        "substituted": "$(" * count + ")" * count,
        "if": "if true; then " * count + ":" + "; fi" * count,
    }
    return _script(f"{lines[random.choice(sorted(lines))]}\n{SERVE}\n")


def expansions(random: Random) -> Source:
    """Words that grow when they are expanded."""
    count, length = size(random, 2, 40_000), size(random, 1, 30_000)
    lines = {
        "variable": f"a={'x' * length}\n: {'$a' * count}",
        "quoted": f'a={"x" * length}\nb="{"$a" * count}"',
        "doubled": "a=x\n" + "a=$a$a\n" * min(count, 200),
        "arrays": f"a=({'x ' * length})\nb=({'${a[@]} ' * min(count, 500)})\n{SERVE} ${{b[@]}}",
        "braces": f"{SERVE} " + "{a,b}" * min(count, 60),
        "sequence": f"{SERVE} {{1..{count * length}}}",
        "power": f"echo $((2**{count * length}))",
        "arithmetic": f"echo $(({'1+' * count}1)) $(({'(' * count}1{')' * count}))",
        "default": f"echo {'${A:-' * count}x{'}' * count}",
        "replaced": f"a={'x' * length}\nb=${{a//x/{'y' * count}}}\n{SERVE} $b",
        "shift": f"set -- {'x ' * count}\nwhile [ $# -gt 0 ]; do shift; done",
        "printf": f"{SERVE} --x $(printf 'x%.0s' {{1..{count}}})",
        "tests": f"[[ {'! ' * count} x ]] && {'x &&' * count} :",
    }
    return _script(f"{lines[random.choice(sorted(lines))]}\n{SERVE} $a $b\n")


def long_lines(random: Random) -> Source:
    """One line with very many words, options or quotes."""
    count = size(random, 10, 30_000)
    word = random.choice(("x", "--x", "--x=1", "''", '"a b"', "--token=x", "\\\n", "${X}", "a=b"))
    line = f"{SERVE} {f'{word} ' * count}"
    form = random.randrange(3)
    if form == 0:
        return _script(f"{line}\n")
    if form == 1:
        content = compose()
        content["services"]["decode"]["command"] = line
        return Source("", {"compose.yaml": yaml.safe_dump(content).encode()}, ("compose.yaml",))
    words = [random.choice((word, "--y", "z" * 9)) for _ in range(count)]
    args = yaml.safe_dump({"args": words}, default_flow_style=True, width=10**9)
    manifest = ALPHA.replace("command: [python3, -m, dynamo.planner]", args.strip("{}\n"))
    return Source("", {"deploy.yaml": f"{ENGINE}---\n{manifest}".encode()}, ("deploy.yaml",))


def _script(text: str) -> Source:
    return Source("", {"serve.sh": text.encode()}, ("serve.sh",))

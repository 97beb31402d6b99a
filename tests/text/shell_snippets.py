"""Shell scripts made at random, for what bash makes of them to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

WORDS = (
    "x", "4", "-3", "a=b", "''", "'x y'", '"y  1"', "$A", '"$A"', "${B}", '"$B,$A"', "--n=$N",
    "${A:-y}", '"${B:-$A z}"', "${C-d e}", '"${A:+set}"', "${B+'q r'}", "${C:=new}", "$((N + 1))",
    "$((M * 2 - N))", '"$(( (N + M) % 4 ))"', "$((N++))",
    "$'a\\tb'", "$'it\\'s'", "{1,2}", "p{a,b}q",

    "{1..3}", "v{3..1}{x,y}", '"{1,2}"', '"${L[@]}"', "${L[@]}", '"${L[*]}"', "$(seq 2)",
    '"$(echo $A end)"', "$1", '"$2"', '"$@"', "$#", "${2:-second}", "${A%x}", "${A##*/}",
    '"${B#q}"', "\\$A", '"a\\"b\\$c"',
    "x\\ y", "a\\\nb", "$(basename /m/n.yaml)", "{x}", "\\{1,2\\}",
    "${E:-empty}", "${E-kept}", '"${E:+no}"', "${E+yes}", "$E",
)  # fmt: skip
UNKNOWN_WORDS = ("$(hidden)", "`hidden`", '"$(hidden)"', "${#A}", "${B/x/y}", "$U", '"${U}"')
CONDITIONS = (
    '[ "$A" = x ]', "[ -z $B ]", '[[ -n $A && $B != "x y" ]]', "((N > 3))", "[ $N -lt $M ]",
    "true", "! true", "false", '[ "$#" -gt 1 ]', "((N % 2 == 0 || M < 5))", "[[ $A == 4 ]]",
    '! [ "$A" ]', "test $N -eq 3",
)  # fmt: skip
UNKNOWN_CONDITIONS = ("present", "absent", "[ -f nowhere ]", '[ "$(hidden)" = x ]', "[[ $A =~ x ]]")
CHANGES = (
    "A={}", "B={}", "A+={}", 'B="$A"', "N=$((N + 2))", "((N++))", "((M = N * 2))", "let N=N+1",
    "((M -= 1)) || true", "L=({} {})", "L+=({})", "export A={}", "export B", "unset C",
    "set -- {} {}", "set -- {} {}; shift 2", "shift", 'eval "A=5"', "A={} B={}", "export -n Q; E=1",
    "set -e; set +e", "declare C={}", "A=1; readonly R=2", "for A in {} {}; do :; done",
    "C=$A$B", ": ${A:=dd}",
)  # fmt: skip
UNKNOWN_CHANGES = (
    'read A <<< "q r"', 'eval "$(changes)"', "printf -v B x", "L[1]={}", "mapfile -t L < names",
    '. ./names2', 'IFS=,', "declare -i A=1+1",
)  # fmt: skip
WRITES = (
    "cat > {f} <<EOF\nk: $A\nn: $((N + 1))\nEOF",
    "cat >> {f} <<'EOF'\nraw: $A\nEOF",
    'cat <<EOF >> {f}\nm: "${{A:-none}}"\nEOF',
    "tee -a {f} > /dev/null <<EOF\nt: \\$A `echo x`\nEOF",
    "cat <<-EOF > {f}\n\t\ttab: 1\n\tEOF",
    "echo plain >> {f}",
    "rm -f {f}",
)


class Snippets:
    """A grammar of shell scripts.

    Args:
        random: Chooses.
        unknown: Whether what cannot be known without running it is part of the language.
    """

    def __init__(self, random: Random, *, unknown: bool) -> None:
        self._random = random
        self._unknown = unknown
        self._names = 0

    def script(self) -> str:
        """A script; ``serve`` is the program that it starts."""
        start = self._choice(("", "A=x\n", "A='m/n x' B=4\n", "export A=x\nL=(one 'two three')\n"))
        return f'N=3 M=7 E=\n{start}{self._body(3)}\nserve end $A "$B" $N\nwait\n'

    def _choice(self, some: tuple[str, ...], odd: tuple[str, ...] = ()) -> str:
        is_odd = odd and self._unknown and self._random.random() < 0.2
        return self._random.choice(odd if is_odd else some)

    def _word(self) -> str:
        return self._choice(WORDS, UNKNOWN_WORDS)

    def _serve(self) -> str:
        words = " ".join(self._word() for _ in range(self._random.randint(0, 4)))
        start = self._choice(("serve", "serve", "serve", "A={} serve", "A=1 B={} serve"))
        return f"{start.replace('{}', self._word())} {words}"

    def _body(self, depth: int, size: int = 4) -> str:
        return "\n".join(self._statement(depth) for _ in range(self._random.randint(1, size)))

    def _statement(self, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.3:
            return self._serve() + self._choice(("", "", "", " &"))
        if kind < 0.6 or depth == 0:
            text = self._choice(CHANGES, UNKNOWN_CHANGES)
            while "{}" in text:
                text = text.replace("{}", self._word(), 1)
            return text
        if kind < 0.68:
            return self._write()
        return self._compound(depth - 1)

    def _write(self) -> str:
        file = self._choice(("f.yaml", "g.yaml", '"$PWD/h.yaml"'))
        return self._choice(WRITES).format(f=file)

    def _compound(self, depth: int) -> str:
        self._names += 1
        name = f"K{self._names}"
        body = self._body(depth, 3)
        shape = self._random.randint(0, 13)
        condition = self._choice(CONDITIONS, UNKNOWN_CONDITIONS)
        other = self._body(depth, 2)
        if shape == 0:
            return f"if {condition}; then\n{body}\nelse\n{other}\nfi"
        if shape == 1:
            return (
                f"if {condition}; then\n{body}\nelif {self._choice(CONDITIONS)}\nthen {other}\nfi"
            )
        if shape == 2:
            patterns = self._choice(("x|4", '"x y"', "m*", "$B"))
            return f"case {self._word()} in\n{patterns}) {body}\n;;\n*)\n{other}\n;;\nesac"
        if shape in (3, 4, 5, 6, 13):
            return self._loop(shape, name, body)
        if shape in (7, 8):
            return self._function(name, body)
        if shape == 9:
            return f"(\n{body}\n{self._write()}\n)"
        if shape == 10:
            return f"{{ {body}\n}}{self._choice(('', ' &', ' | cat'))}"
        if shape == 11:
            return f"echo in | {self._serve()}\nserve one | serve two"
        return f"{self._choice(CONDITIONS)} && {self._serve()} || serve or"

    def _loop(self, shape: int, name: str, body: str) -> str:
        if shape == 3:
            words = " ".join(self._word() for _ in range(self._random.randint(0, 3)))
            return f"for {name} in {words}; do\n{body}\nserve ${name}\ndone"
        if shape == 4:
            return f"for (({name}=0; {name}<3; {name}++)); do {body}\nserve {name} ${name}\ndone"
        if shape == 5:
            leave = self._choice(("", f"[ ${name} = 1 ] && break", f"(({name} == 2)) && continue"))
            count = f"{name}=$(({name} + 1))"
            return f"{name}=0\nwhile [ ${name} -lt 4 ]; do {count}\n{leave}\n{body}\ndone"
        if shape == 6:
            return f"{name}=5\nuntil (({name}-- <= 3)); do\n{body}\nserve ${name}; done"
        return f"for {name} in 1 2 3; do\n{body}\n{self._serve()} ${name} &\ndone"

    def _function(self, name: str, body: str) -> str:
        arguments = " ".join(self._word() for _ in range(self._random.randint(0, 3)))
        leave = f"{self._choice(CONDITIONS)} && return\n"
        local = self._choice(("", "local A=in B\n", "local L=(1)\n", leave))
        head = self._choice((f"{name}()", f"function {name}"))
        return f'{head} {{\n{local}{body}\n}}\n{name} {arguments}\nQ={name} {name} "$A"'

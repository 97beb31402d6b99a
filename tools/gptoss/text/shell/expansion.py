"""The words and texts that expansions become. What is not known stays as it is written."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

from gptoss.text.budget import Kind
from gptoss.text.shell import braces
from gptoss.text.shell.arithmetic import evaluate
from gptoss.text.shell.parts import Arithmetic, Parameter, Part, Substitution, Text, Word
from gptoss.text.shell.printed import PRINTING, output
from gptoss.text.shell.resolved import NAME, is_resolved
from gptoss.text.shell.variables import More, Variables
from gptoss.text.shell.word_fields import Fields
from gptoss.text.shell.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TEXT = 20_000
# Characters of the words that one word becomes.
MAX_WORDS = 200_000
# Characters of a value that a pattern is cut off, and of the pattern.
MAX_TRIMMED = 4000
MAX_SUBSTITUTED = 1000
# Substitutions within one that is followed.
MAX_NESTED = 4
KUBERNETES_REFERENCE = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")
# Ways to write the folder of the script that is running, with a path from there.
OWN_NAME = r'"?(?:\$0|\$\{0\}|\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\})"?'
RESOLVED_NAME = rf'"?\$\((?:realpath|readlink -f)(?: --)? {OWN_NAME}\)"?'
DIRNAME = rf"\$\(dirname(?: --)? (?:{OWN_NAME}|{RESOLVED_NAME})\)"
QUIETLY = r"(?:\s*(?:>\s*/dev/null(?: 2>&1)?|&>\s*/dev/null))?"
OWN_FOLDER = re.compile(
    rf"{DIRNAME}|"
    r"\$\((?:CDPATH= )?(?:cd|realpath|readlink -f)(?: -[PL])?(?: --)? "
    rf'"?{DIRNAME}(?P<path>/[\w./-]*)?"?{QUIETLY}(?:\s*(?:&&|;)\s*pwd(?: -[PL])?)?\)'
)
ARRAY = re.compile(r"\$\{([A-Za-z_]\w*)\[([@*])\]\}")
NOT_KNOWN = "${...}"
NOT_IN_PATTERNS = re.compile(r"[\[\\$`]")
WILDCARD = re.compile(r"[*?]")


def words(word: Word, variables: Variables) -> tuple[list[str], bool]:
    """The words that a word becomes, and whether they are sure to be that many.

    Braces are expanded, and unquoted expansions split at blanks.
    """
    if len(word.parts) == 1 and word.literal and "{" not in word.literal:
        return [word.literal], True
    fields, whole = Fields(), True
    for one in braces.expanded(word, variables.budget):
        for part in one.parts:
            before = fields.size
            whole &= _add(part, fields, variables)
            variables.budget.spend(Kind.EXPANDED, fields.size - before)
            if fields.size > MAX_WORDS:
                return [NOT_KNOWN], False
        fields.close()
    return fields.done, whole


def joined(parts: Iterable[Part], variables: Variables) -> str:
    """The text of parts without splitting, as in an assignment or a here-document."""
    texts, length = [], 0
    for part in parts:
        texts.append(text_of(part, variables))
        length += len(texts[-1])
        if length > MAX_TEXT:
            break
    variables.budget.spend(Kind.EXPANDED, length)
    return "".join(texts) if length <= MAX_TEXT else NOT_KNOWN


def calculated(expression: str, variables: Variables) -> int | None:
    """The value of an arithmetic expression, whose assignments are made."""
    variables.budget.spend(Kind.EXPANDED, len(expression))
    is_assumed = not variables.assumed.isdisjoint(NAME.findall(expression))
    variables.assumptions += is_assumed
    value, changes = evaluate(expression, variables.values, variables.arguments)
    for name, changed in changes.items():
        variables.values[name] = changed
        variables.arrays.pop(name, None)
        (variables.assumed.add if is_assumed else variables.assumed.discard)(name)
    return value


def text_of(part: Part, variables: Variables, *, split: bool = False) -> str:
    """The text of a part; lines that a command prints are known only where they are split."""
    if isinstance(part, Text):
        return part.value
    if isinstance(part, Arithmetic):
        result = calculated(part.expression, variables)
        return part.source if result is None else str(result)
    if isinstance(part, Substitution):
        printed = _substituted(part.source, variables)
        return printed if split or "\n" not in printed else part.source
    found = _parameter(part, variables)
    return found if isinstance(found, str) else joined(found, variables)


def _add(part: Part, fields: Fields, variables: Variables) -> bool:
    """Adds what a part becomes; False when that may be any number of words."""
    if isinstance(part, Parameter) and part.name == "@":
        return _add_arguments(part, fields, variables)
    if isinstance(part, Parameter) and (array := ARRAY.fullmatch(part.source)):
        return _add_elements(array, part, fields, variables)
    if isinstance(part, Parameter):
        found = _parameter(part, variables)
    else:
        found = text_of(part, variables, split=not part.quoted)
    if not isinstance(found, str) and not part.quoted:
        return _add_default(found, fields, variables)
    text = found if isinstance(found, str) else joined(found, variables)
    if isinstance(part, Text) or part.quoted:
        fields.add(text, keep_empty=part.quoted)
        return True
    if "IFS" in variables.values:
        fields.add(NOT_KNOWN, keep_empty=True)
        return False
    fields.add_split(text)
    return is_resolved(text)


def _add_default(parts: Iterable[Part], fields: Fields, variables: Variables) -> bool:
    """Adds the word that stands in for a parameter, which is split outside of its quotes."""
    whole = True
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            fields.add_split(part.value)
        else:
            whole &= _add(part, fields, variables)
    return whole


def _add_arguments(part: Parameter, fields: Fields, variables: Variables) -> bool:
    given = [*variables.arguments[1:]]
    is_open = variables.more is More.UNKNOWN
    if part.quoted:
        fields.add_all([*given, "${@}"] if is_open else given)
        return not is_open
    fields.add_split(" ".join([*given, "${@}"] if is_open else given))
    return not is_open and all(map(is_resolved, given))


def _add_elements(
    array: re.Match[str], part: Parameter, fields: Fields, variables: Variables
) -> bool:
    """Adds ``${name[@]}`` or ``${name[*]}``."""
    elements = variables.arrays.get(array.group(1))
    in_one = array.group(2) == "*" and part.quoted
    if elements is None or (in_one and "IFS" in variables.values):
        fields.add(part.source, keep_empty=True)
        return in_one
    if in_one:
        fields.add(" ".join(elements), keep_empty=True)
    elif part.quoted:
        fields.add_all(elements)
    else:
        fields.add_split(" ".join(elements))
    return part.quoted or all(map(is_resolved, elements))


def _substituted(source: str, variables: Variables) -> str:
    if variables.folder is not None and (own := OWN_FOLDER.fullmatch(source)):
        return variables.folder + (own["path"] or "")
    if match := KUBERNETES_REFERENCE.fullmatch(source):
        return variables.environment.get(match.group(1)) or source
    inner = source[1:-1] if source.startswith("`") else source[2:-1]
    first = inner[:MAX_SUBSTITUTED].split(maxsplit=1)[:1]
    is_long = len(inner) > MAX_SUBSTITUTED or inner.count("$(") > MAX_NESTED
    if is_long or not first or first[0] not in PRINTING:
        return source
    printed = output(tokens(inner), lambda word: words(word, variables))
    return source if printed is None else printed


def _parameter(part: Parameter, variables: Variables) -> str | tuple[Part, ...]:
    """What a parameter becomes: its text, or the word that stands in for it."""
    if part.name in ("@", "*", "#") and not part.operator:
        return _all_arguments(part.name, variables)
    is_set, value = variables.look_up(part.name)
    variables.assumptions += part.name in variables.assumed
    if not part.operator:
        return value if value is not None else f"${{{part.name}}}" if part.name else part.source
    if part.operator[0] in "#%":
        return part.source if value is None else _trimmed(value, part, variables)
    if is_set and (value is None or (value and not is_resolved(value))):
        return part.source
    kind, filled = part.operator[-1], is_set and (value or not part.operator.startswith(":"))
    if not is_set and not (part.name.isdecimal() and variables.more is More.NONE):
        variables.assumptions += 1
    if kind == "+":
        return part.word if filled else ""
    if filled:
        return value or ""
    if kind == "?":
        return part.source
    if kind != "=":
        return part.word
    default = joined(part.word, variables)
    variables.values[part.name] = default
    variables.assumed.add(part.name)
    return default


def _all_arguments(name: str, variables: Variables) -> str:
    """``$*`` and ``$#``."""
    if variables.more is More.UNKNOWN or (name == "*" and "IFS" in variables.values):
        return f"${{{name}}}"
    if name == "#":
        return str(max(0, len(variables.arguments) - 1))
    return " ".join(variables.arguments[1:])


def _trimmed(value: str, part: Parameter, variables: Variables) -> str:
    """A value without what a pattern fits at its beginning (``#``) or its end (``%``)."""
    pattern = joined(part.word, variables)
    odd = any(not isinstance(p, Text) or (p.quoted and not part.quoted) for p in part.word)
    not_evaluated = NOT_IN_PATTERNS.search(pattern) or (odd and WILDCARD.search(pattern))
    if not_evaluated or not is_resolved(value):
        return part.source
    at_start = part.operator[0] == "#"
    if not WILDCARD.search(pattern):
        return value.removeprefix(pattern) if at_start else value.removesuffix(pattern)
    size = len(value)
    if size + len(pattern) > MAX_TRIMMED:
        return part.source
    # Every length of it may be tried.
    variables.budget.spend(Kind.EXPANDED, size * (size // 40 + 4))
    lengths = range(size, -1, -1) if len(part.operator) > 1 else range(size + 1)
    for length in lengths:
        if at_start and fnmatch.fnmatchcase(value[:length], pattern):
            return value[length:]
        if not at_start and fnmatch.fnmatchcase(value[size - length :], pattern):
            return value[: size - length]
    return value

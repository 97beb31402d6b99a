"""Variables of a shell and the words that expansions become."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.text.shell.arithmetic import evaluate
from gptoss.text.shell.words import Arithmetic, Parameter, Part, Substitution, Text, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_TEXT = 20_000
KUBERNETES_REFERENCE = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")
REFERENCE = re.compile(r"\$[({]?([A-Za-z_]\w*)")
ARITHMETIC = re.compile(r"\$\(\((.*?)\)\)")
NAME = re.compile(r"[A-Za-z_]\w*")
UNRESOLVED = re.compile(r"\$[({]|`")
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
ARRAY = re.compile(r"\$\{([A-Za-z_]\w*)\[[@*]\]\}")


def is_resolved(text: str) -> bool:
    """Whether a text holds no expansion that could not be resolved."""
    return UNRESOLVED.search(text) is None


def mentioned(text: str) -> set[str]:
    """Names of the variables that a script or a command line refers to."""
    names = {match.group(1) for match in REFERENCE.finditer(text)}
    for arithmetic in ARITHMETIC.finditer(text):
        names.update(NAME.findall(arithmetic.group(1)))
    return names


class Variables:
    """The variables of a shell.

    Attributes:
        values: Variables by name; None for a value that is not known.
        environment: Variables that the container was started with.
        arguments: Positional parameters, ``$0`` first.
        arrays: Arrays by name.
        folder: The folder that the script is in; None where it is no file.
    """

    def __init__(
        self,
        environment: Mapping[str, str | None],
        arguments: Sequence[str],
        folder: str | None = None,
    ) -> None:
        self.environment = environment
        self.folder = folder
        self.values: dict[str, str | None] = dict(environment)
        self.arguments = list(arguments)
        self.arrays: dict[str, list[str]] = {}

    def words(self, word: Word) -> list[str]:
        """The words that a word becomes: unquoted expansions are split at blanks."""
        fields = _Fields()
        for part in word.parts:
            if isinstance(part, Parameter) and part.name == "@":
                fields.add_all(self.arguments[1:])
                continue
            if isinstance(part, Parameter) and (elements := self._elements(part)) is not None:
                fields.add_all(elements)
                continue
            text = self._part(part)
            if isinstance(part, Text) or part.quoted or not is_resolved(text):
                fields.add(text, keep_empty=part.quoted)
            else:
                fields.add_split(text)
        return fields.finished()

    def joined(self, parts: Iterable[Part]) -> str:
        """The text of parts without splitting, as in an assignment or a here-document."""
        return "".join(self._part(part) for part in parts)[:MAX_TEXT]

    def _elements(self, part: Parameter) -> list[str] | None:
        """The elements that ``${name[@]}`` stands for; None when it is no array that is known."""
        match = ARRAY.fullmatch(part.source)
        return self.arrays.get(match.group(1)) if match else None

    def _part(self, part: Part) -> str:
        """The text of a part; what is unknown as written."""
        if isinstance(part, Text):
            return part.value
        if isinstance(part, Arithmetic):
            result = evaluate(part.expression, self.values, self.arguments)
            return part.source if result is None else str(result)
        if isinstance(part, Substitution):
            if self.folder is not None and (own := OWN_FOLDER.fullmatch(part.source)):
                return self.folder + (own["path"] or "")
            match = KUBERNETES_REFERENCE.fullmatch(part.source)
            value = self.environment.get(match.group(1)) if match else None
            return part.source if value is None else value
        return self._parameter(part)

    def _parameter(self, part: Parameter) -> str:
        if part.name in ("@", "*"):
            return " ".join(self.arguments[1:])
        is_set, value = self._lookup(part.name)
        unknown = f"${{{part.name}}}" if part.name and not part.operator else part.source
        if not part.operator or (is_set and value is None):
            return unknown if value is None else value
        filled = is_set and (value != "" or not part.operator.startswith(":"))
        kind = part.operator[-1]
        if kind == "+":
            return self.joined(part.word) if filled else ""
        if filled:
            return value or ""
        if kind == "?":
            return unknown
        default = self.joined(part.word)
        if kind == "=":
            self.values[part.name] = default
        return default

    def _lookup(self, name: str) -> tuple[bool, str | None]:
        """Whether a parameter is set, and its value where that is known."""
        if name.isdecimal():
            known = len(name) < 4 and int(name) < len(self.arguments)
            return known, self.arguments[int(name)] if known else None
        return name in self.values, self.values.get(name)


class _Fields:
    """Words in the making."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._open: str | None = None

    def add(self, text: str, *, keep_empty: bool) -> None:
        if text or keep_empty:
            self._open = (self._open or "") + text

    def add_split(self, text: str) -> None:
        pieces = text.split()
        if text[:1].isspace():
            self._close()
        for number, piece in enumerate(pieces):
            if number:
                self._close()
            self.add(piece, keep_empty=False)
        if text[-1:].isspace():
            self._close()

    def add_all(self, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            if number:
                self._close()
            self.add(text, keep_empty=True)

    def finished(self) -> list[str]:
        self._close()
        return self._done

    def _close(self) -> None:
        if self._open is not None:
            self._done.append(self._open)
            self._open = None

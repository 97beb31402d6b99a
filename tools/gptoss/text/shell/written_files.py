"""Files that the commands of a script write."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.text.budget import Kind
from gptoss.text.places import Located
from gptoss.text.shell.expansion import joined, text_of
from gptoss.text.shell.parts import Text
from gptoss.text.shell.resolved import UNBROKEN_REFERENCE
from gptoss.text.shell.result import HereDocument
from gptoss.text.shell.words import document_parts
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.text.places import Place
    from gptoss.text.shell.nodes import Simple
    from gptoss.text.shell.parts import Redirection, Word
    from gptoss.text.shell.variables import Variables

MAX_DOCUMENT = 200_000
ODD = re.compile(r"[^\w.-]+")
WRITING = (">", ">>", ">|", "&>", "&>>")
COPYING = ("cat", "tee")
CHANGING = ("sed", "perl", "yq", "cp", "mv", "install", "patch", "truncate", "rm", "dd")
SUFFIXES = (".yaml", ".yml", ".json", ".sh")


def written(
    command: Simple, variables: Variables, indent: int | None, place: Callable[[int], Place]
) -> Iterator[HereDocument]:
    """The here-documents of a command, and files that it writes in another way.

    Args:
        command: The command.
        variables: Gets to know the files.
        indent: Columns that the script's lines are indented by; None when it is on one line.
        place: Gives the place of an offset in the script.
    """
    name = command.words[0].literal if command.words else ""
    target, appends = _target(command, name)
    path = joined(target.parts, variables) if target else ""
    found = [r for r in command.redirections if r.is_document]
    for redirection in found:
        text = _text(redirection, variables)
        content = _content(redirection, text or "", indent, place)
        located = Located(path, place(target.start)) if target else None
        known = text is not None and (located is None or name in COPYING)
        document = HereDocument(located, content, known)
        yield _stored(document, variables, appends=appends) if located else document
    if target and not found:
        is_kept = os.path.normpath(path) in variables.files or path.endswith(SUFFIXES)
        if is_kept and path != "/dev/null":
            content = Tree("", place(target.start), None, indent)
            document = HereDocument(Located(path, place(target.start)), content, name == ":")
            yield _stored(document, variables, appends=appends and name != ":")
    if name in CHANGING:
        for word in command.words[1:]:
            changed = variables.files.get(os.path.normpath(joined(word.parts, variables)))
            if changed:
                yield _stored(changed.blurred(), variables, appends=False)


def _content(
    redirection: Redirection, text: str, indent: int | None, place: Callable[[int], Place]
) -> Tree:
    """The text of a here-document, with its lines where they stand."""
    begin = place(redirection.start)
    if indent is not None:
        return Tree(text, begin.moved(lines=-1), None, indent)
    found = set(_line_starts(redirection, place))
    if len(found) != 1:
        return Tree(text, begin)
    (start,) = found
    return Tree(text, start._replace(line=start.line - 1, column=1), None, start.column - 1)


def _line_starts(redirection: Redirection, place: Callable[[int], Place]) -> Iterator[Place]:
    """Where the first line would begin by each line of a here-document in a quoted script."""
    offset = redirection.start
    for number, line in enumerate(redirection.text.splitlines(keepends=True)):
        blank = len(line) - len(line.lstrip())
        if blank < len(line):
            yield place(offset + blank).moved(lines=-number, columns=-blank)
        offset += len(line)


def _target(command: Simple, name: str) -> tuple[Word | None, bool]:
    """The file that a command writes to, and whether it appends to it."""
    if name == "tee":
        options = [word.literal for word in command.words[1:] if word.literal.startswith("-")]
        files = [word for word in command.words[1:] if not word.literal.startswith("-")]
        return files[0] if files else None, bool({"-a", "--append"}.intersection(options))
    for redirection in command.redirections:
        if redirection.symbol in WRITING:
            return redirection.target, redirection.symbol.endswith(">>")
    return None, False


def _stored(document: HereDocument, variables: Variables, *, appends: bool) -> HereDocument:
    """Notes what stands in the document's file; the document with what it is appended to."""
    path = os.path.normpath(document.target.value) if document.target else ""
    before = variables.files.get(path) if appends else None
    if before is not None:
        document = _appended(before, document)
        variables.budget.spend(Kind.EXPANDED, len(str(document.content.value)))
    variables.budget.spend(Kind.VARIABLES, len(variables.files))
    variables.files = {**variables.files, path: document}
    return document


def _appended(before: HereDocument, document: HereDocument) -> HereDocument:
    """Both texts as one, with empty lines between them so that each line keeps its place."""
    first, second = str(before.content.value), str(document.content.value)
    if not before.known:
        return before
    if not document.known or len(first) + len(second) > MAX_DOCUMENT:
        return before.blurred()
    begin, other = before.content.place, document.content.place
    between = other.line - begin.line - first.count("\n") if begin.file == other.file else 0
    text = first + "\n" * max(0, between) + second
    return replace(document, content=Tree(text, begin, None, before.content.indent))


def _text(redirection: Redirection, variables: Variables) -> str | None:
    """The text of a here-document; None when it is too long."""
    text = redirection.text
    variables.budget.spend(Kind.EXPANDED, len(text))
    if redirection.symbol == "<<-":
        text = re.sub(r"(?m)^\t+", "", text)
    if any(isinstance(part, Text) and part.quoted for part in redirection.target.parts):
        return text
    texts, length = [], 0
    for part in document_parts(text):
        texts.append(part.value if isinstance(part, Text) else _for_yaml(text_of(part, variables)))
        length += len(texts[-1])
        if length > MAX_DOCUMENT:
            return None
    return "".join(texts)


def _for_yaml(text: str) -> str:
    """A text in which what is not resolved is a plain scalar of YAML wherever it stands."""
    return UNBROKEN_REFERENCE.sub(lambda match: f"$({ODD.sub('_', match[0]).strip('_')})", text)

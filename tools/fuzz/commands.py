"""A command line for a source: every command that reads it, in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.seeds import GPUS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.contents import Source

RELEASES = ("1.0.2", "1.2.1", "1.3.1", "1.4.2", "1.5.1", "1.6.1")
FORMATS = ("text", "json", "sarif", "junit", "github", "gitlab", "table")
FORMS = ("manifests", "kustomize", "compose", "shell", "truss", "values")
SIDES = ("--quiet", "--verbose", "--explain", "--summary")
Words = tuple[str, ...]


def command_line(source: Source, random: Random) -> Words:
    """The words after ``gptoss``."""
    if source.argv:
        return source.argv
    if source.kind in ALONE:
        return ALONE[source.kind](source.words, random)
    names, weights = zip(*WEIGHTS.items(), strict=True)
    return MADE[random.choices(names, weights)[0]](source.words, random)


def _told(random: Random) -> Words:
    """What may be said to every command that reads sources."""
    return ("--release", random.choice(RELEASES)) if random.random() < 0.2 else ()


def _check(words: Words, random: Random) -> Words:
    form = random.choice(FORMATS)
    said: Words = ("--format", form)
    if random.random() < 0.3:
        said += (random.choice(SIDES),)
    if random.random() < 0.1:
        said = ("--output", f"report.{random.choice(('sarif', 'xml', 'json', 'txt'))}")
    if random.random() < 0.1:
        said += ("--fail-on", random.choice(("warning", "info")))
    return ("check", *words, *said, *_told(random))


def _fix(words: Words, random: Random) -> Words:
    return ("check", *words, "--fix", *_told(random))


def _fix_diff(words: Words, random: Random) -> Words:
    return ("check", *words, "--diff", *_told(random))


def _against(words: Words, _: Random) -> Words:
    return ("check", *words, "--against", words[0] if words else "agg-gb200")


def _show(words: Words, random: Random) -> Words:
    return ("show", *words, "--format", random.choice(("text", "json")), *_told(random))


def _bench(words: Words, random: Random) -> Words:
    form = random.choice(("text", "json"))
    said = ("--explain",) if random.random() < 0.3 else ()
    return ("bench", "show", *words, "--format", form, *said, *_told(random))


def _diff(words: Words, random: Random) -> Words:
    files = [word for word in words if not word.startswith("--")][:2]
    pair = (*files, *files)[:2] if random.random() < 0.7 else (files[0], "agg-gb200")
    if random.random() < 0.3:
        pair = (f"{pair[0]}@{random.choice(RELEASES)}", pair[1])
    return ("diff", *pair, "--places", "--format", random.choice(("text", "json")))


def _upgrade(words: Words, random: Random) -> Words:
    what = random.choice(((), ("--diff",), ("--write",), ("--format", "json")))
    return ("upgrade", *words, "--to", random.choice(RELEASES), *what)


def _import(words: Words, random: Random) -> Words:
    files = [word for word in words if not word.startswith("-")][:2]
    said: Words = ("--gpu", random.choice(GPUS)) if random.random() < 0.7 else ()
    said += random.choice(((), ("--format", "json"), ("--output", "values.yaml")))
    return ("import", *files, *said)


def _render(words: Words, random: Random) -> Words:
    into = random.choice(((), ("--output", "out"), ("--output", "out", "--force")))
    return ("render", *words, "--as", random.choice(FORMS), *into)


def _images(words: Words, random: Random) -> Words:
    return ("images", *words, "--format", random.choice(("text", "json")))


def _plan(words: Words, random: Random) -> Words:
    said = random.choice(((), ("--format", "json"), ("--output", "plan.svg"), ("--isl", "1")))
    return ("plan", *words, *said)


def _report(words: Words, random: Random) -> Words:
    said = random.choice(
        (
            ("--format", random.choice(("text", "json", "csv", "markdown", "html"))),
            ("--output", random.choice(("report.html", "report.json", "report.csv", "pages"))),
            ("--gpus", random.choice(("8", "prefill=1,decode=4", "0", "x="))),
            ("--baseline", words[0]),
        )
    )
    return ("bench", "report", *words, *said)


MADE: dict[str, Callable[[Words, Random], Words]] = {
    "check": _check,
    "fix": _fix,
    "fix diff": _fix_diff,
    "against": _against,
    "show": _show,
    "bench": _bench,
    "diff": _diff,
    "upgrade": _upgrade,
    "import": _import,
    "render": _render,
    "images": _images,
    "plan": _plan,
}
WEIGHTS = {
    "check": 30,
    "fix": 16,
    "fix diff": 5,
    "against": 3,
    "show": 14,
    "bench": 6,
    "diff": 6,
    "upgrade": 7,
    "import": 4,
    "render": 2,
    "images": 3,
    "plan": 4,
}
# Kinds that one command reads, or that every other one refuses.
ALONE = {
    "charts": _import,
    "report": _report,
    "prices": _plan,
}

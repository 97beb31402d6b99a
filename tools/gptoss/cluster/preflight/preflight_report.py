"""The answers for people and for programs."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.text.as_json import json_text
from gptoss.text.as_xml import xml_text
from gptoss.text.printable import painted
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.cluster.live_cluster import Cluster
    from gptoss.cluster.wanted import Wanted

WIDTH = 100
STATUS, ABOUT = 9, 15
# Styles of the command line by status.
STYLES = {Status.UNKNOWN: "warning", Status.INFO: "info"}
NOUNS = {Status.ERROR: "error", Status.WARNING: "warning", Status.UNKNOWN: "unknown answer"}


def as_text(
    cluster: Cluster,
    wanted: Wanted,
    answers: Sequence[Answer],
    paint: Callable[[str, str], str] = lambda text, _style: text,
) -> str:
    """A line an answer, with what to do; at most 100 columns wide."""
    where = f"{cluster.context or 'this cluster'}, namespace {wanted.namespace}"
    lines = [f"{wanted.label} on {where}", ""]
    for answer in answers:
        text = without_secrets(answer.says)
        text += f"; {without_secrets(answer.do)}" if answer.do else ""
        indent = " " * (STATUS + ABOUT)
        wrapped = textwrap.wrap(
            text, WIDTH - len(indent), break_on_hyphens=False, break_long_words=False
        )
        word = answer.status.value
        style = STYLES.get(answer.status, word)
        head = paint(word, style) + " " * (STATUS - len(word)) + answer.about.ljust(ABOUT)
        lines += [head + wrapped[0], *(indent + line for line in wrapped[1:])]
    return "\n".join([*map(painted, lines), "", _summary(answers)])


def _summary(answers: Sequence[Answer]) -> str:
    counted = Counter(answer.status for answer in answers)
    told = [
        f"{counted[status]} {noun}{'s' if counted[status] > 1 else ''}"
        for status, noun in NOUNS.items()
        if counted[status]
    ]
    return f"{len(answers)} answers: {', '.join(told) or 'nothing stands in the way'}"


def as_json(cluster: Cluster, wanted: Wanted, answers: Sequence[Answer]) -> str:
    """The answers for programs."""
    report = {
        "source": wanted.label,
        "context": cluster.context,
        "namespace": wanted.namespace,
        "answers": [
            {
                "about": answer.about,
                "status": answer.status.value,
                "says": answer.says,
                "do": answer.do,
            }
            for answer in answers
        ],
    }
    return json_text(report)


def as_junit(cluster: Cluster, wanted: Wanted, answers: Sequence[Answer]) -> str:
    """JUnit XML: a case an answer; errors and warnings fail, what may not be seen is skipped."""
    failed = [each for each in answers if each.status in (Status.ERROR, Status.WARNING)]
    skipped = [each for each in answers if each.status is Status.UNKNOWN]
    counts = {
        "tests": str(len(answers)),
        "failures": str(len(failed)),
        "skipped": str(len(skipped)),
        "errors": "0",
    }
    root = ET.Element("testsuites", {"name": "gptoss preflight", **counts})
    name = f"{wanted.label} on {cluster.context}"
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for answer in answers:
        title = f"{answer.about}: {answer.says}"
        case = ET.SubElement(suite, "testcase", {"classname": name, "name": title})
        if answer in failed:
            kind = {"type": answer.status.value, "message": answer.says}
            ET.SubElement(case, "failure", kind).text = answer.do
        elif answer in skipped:
            ET.SubElement(case, "skipped", {"message": f"{answer.says}; {answer.do}"})
        else:
            ET.SubElement(case, "system-out").text = answer.do
    return xml_text(root)

"""JUnit XML: a suite a deployment, a test case a finding and one for every family without any.

A test case of an error or a warning fails; of information it passes and says it in its output; of
something suppressed it is skipped with the reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from gptoss.checking.checked import findings_of, suppressed_of
from gptoss.reports.common import documentation, hint_of, message_of, relative
from gptoss.rules.rule import RULES, Severity
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding

# Characters that XML 1.0 cannot hold.
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report(checked: Sequence[Checked], _style: Style) -> str:
    """All suites."""
    root = ET.Element("testsuites", name="gptoss check")
    for item in checked:
        root.append(_suite(item))
    for count in ("tests", "failures", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    root.set("errors", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _suite(item: Checked) -> ET.Element:
    name = _text(item.deployment.source)
    suite = ET.Element("testsuite", name=name)
    heard = set()
    for finding in findings_of([item]):
        heard.add(finding.rule.family)
        suite.append(_finding(name, finding))
    for suppressed in suppressed_of([item]):
        heard.add(suppressed.finding.rule.family)
        case = _case(name, suppressed.finding)
        ET.SubElement(case, "skipped", message=_text(f"suppressed: {suppressed.reason}"))
        suite.append(case)
    for family in dict.fromkeys(rule.family for rule in RULES.values()):
        if family not in heard:
            ET.SubElement(suite, "testcase", classname=name, name=f"rules {family.letter}")
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("errors", "0")
    return suite


def _finding(suite: str, finding: Finding) -> ET.Element:
    case = _case(suite, finding)
    lines = [f"{finding.place}: {message_of(finding)}", f"hint: {hint_of(finding)}"]
    lines += [f"{also.place}: {without_secrets(also.message)}" for also in finding.also]
    lines.append(documentation(finding.rule))
    if finding.severity is Severity.INFO:
        output = ET.SubElement(case, "system-out")
    else:
        word = finding.severity.word
        output = ET.SubElement(case, "failure", type=word, message=_text(message_of(finding)))
    output.text = _text("\n".join(lines))
    return case


def _case(suite: str, finding: Finding) -> ET.Element:
    return ET.Element(
        "testcase",
        classname=suite,
        name=_text(f"{finding.rule.id} {finding.rule.name} {finding.place}"),
        file=_text(relative(finding.place.file)),
        line=str(finding.place.line),
    )


def _text(text: str) -> str:
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)

"""JUnit XML: a suite a deployment, a test case a finding and one for every family without any.

A test case of an error or a warning fails; of information it passes and says it in its output; of
something suppressed it is skipped with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from gptoss.checking.checked import findings_of, suppressed_of
from gptoss.reports.common import documentation, hint_of, message_of, relative
from gptoss.rules.rule import RULES, Severity
from gptoss.text.as_xml import xml_text
from gptoss.text.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.checking.checked import Checked
    from gptoss.reports import Style
    from gptoss.rules.finding import Finding


def report(checked: Sequence[Checked], _style: Style) -> str:
    """All suites."""
    root = ET.Element("testsuites", name="gptoss check")
    for item in checked:
        root.append(_suite(item))
    for count in ("tests", "failures", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    root.set("errors", "0")
    return xml_text(root)


def _suite(item: Checked) -> ET.Element:
    name = item.deployment.source
    suite = ET.Element("testsuite", name=name)
    heard = set()
    for finding in findings_of([item]):
        heard.add(finding.rule.family)
        suite.append(_finding(name, finding))
    for suppressed in suppressed_of([item]):
        heard.add(suppressed.finding.rule.family)
        case = _case(name, suppressed.finding)
        ET.SubElement(case, "skipped", message=f"suppressed: {suppressed.reason}")
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
    lines += [f"{also.place}: {one_line(also.message)}" for also in finding.also]
    lines.append(documentation(finding.rule))
    if finding.severity is Severity.INFO:
        output = ET.SubElement(case, "system-out")
    else:
        word = finding.severity.word
        output = ET.SubElement(case, "failure", type=word, message=message_of(finding))
    output.text = "\n".join(lines)
    return case


def _case(suite: str, finding: Finding) -> ET.Element:
    return ET.Element(
        "testcase",
        classname=suite,
        name=f"{finding.rule.id} {finding.rule.name} {finding.place}",
        file=relative(finding.place.file),
        line=str(finding.place.line),
    )

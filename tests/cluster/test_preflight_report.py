"""What a cluster says is data to the reports of preflight, whatever it is."""

import re
from unittest.mock import MagicMock
from xml.etree import ElementTree as ET

from gptoss.cluster.preflight.answer import Answer, Status
from gptoss.cluster.preflight.preflight_report import as_junit

SAID = "\x00\ufffe ##[error] DB_PASSWORD=Hunter2\r::error::forged"


def test_junit_holds_whatever_a_cluster_says_and_hides_its_secrets() -> None:
    statuses = (Status.OK, Status.UNKNOWN, Status.ERROR)
    answers = [Answer("nodes", status, SAID, SAID) for status in statuses]
    document = as_junit(MagicMock(context=SAID), MagicMock(label=SAID), answers)
    ET.fromstring(document)  # noqa: S314 (its own)
    assert re.search(r"##\[|Hunter2|^\s*::|\r", document, re.MULTILINE) is None

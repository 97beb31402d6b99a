"""Any text is held by XML, hidden where it is secret, and obeyed by no log."""

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from gptoss.text.as_xml import xml_text

OBEYED = re.compile("##\\[|^\\s*::|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", re.MULTILINE)


def written(text: str) -> str:
    root = ET.Element("root", name=text)
    ET.SubElement(root, "said").text = text
    return xml_text(root)


@given(
    st.text(
        st.sampled_from("a:#[ \n\r\t\x00\x1b\x85\u2028\u202e\ud800\udcff\ufffe<&\"'"), max_size=12
    )
)
def test_every_text_is_held_and_none_is_obeyed(text: str) -> None:
    document = written(text)
    ET.fromstring(document)  # noqa: S314 (its own)
    assert OBEYED.findall(document) == []


def test_a_text_that_xml_can_hold_reads_as_the_same() -> None:
    text = "##[error]x \x85\u202e <&>\"' \r\n ::error::y"
    root = ET.fromstring(written(text))  # noqa: S314 (its own)
    assert root.get("name") == root[0].text == text


def test_secrets_are_hidden_in_texts_and_attributes() -> None:
    assert "Hunter2" not in written("DB_PASSWORD=Hunter2")

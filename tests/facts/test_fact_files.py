"""What is said when a file of facts lacks something."""

import shutil
from pathlib import Path

import pytest

from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.text.errors import InputError

HARDWARE, RELEASES = "hardware.yaml", "releases.yaml"
MODEL = "models/gpt-oss-120b.yaml"


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """A copy of the files that facts are written in."""
    for name in (HARDWARE, RELEASES, MODEL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(folders.root() / "schema" / name, tmp_path / name)
    return tmp_path


def said(schema: Path, name: str, old: str, new: str) -> str:
    """What reading all facts says when a text of a file is replaced."""
    file = schema / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    facts = Facts(schema)
    with pytest.raises(InputError) as refused:
        assert [facts.gpus, facts.default_release, facts.models]
    return "\n".join((str(refused.value), *refused.value.below))


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        (HARDWARE, "    productLabels: [NVIDIA-H200]\n", "", "gpus.h200: productLabels is missing"),
        (HARDWARE, "sm: 100", "sm: '10.0'", "gpus.b200: sm is '10.0', not a whole number from 70"),
        (HARDWARE, "memory: 183359", "memory: 192", "not a whole number of MiB from 10,000 on"),
        (HARDWARE, "architecture: arm64", "architecture: arm", "not amd64 or arm64"),
        (
            HARDWARE,
            "  cpuPerGpu:",
            "  cpusPerGpu:",
            "cpusPerGpu is no key; did you mean cpuPerGpu?",
        ),
        (HARDWARE, "  h100:", "  H100:", "gpus: 'H100' is not a name such as b200"),
        (HARDWARE, "gpus:", "gpus: [", "schema/hardware.yaml: while parsing"),
        (RELEASES, "driver: 580", "driver: 58", "driver is 58, not a whole number from 500 on"),
        (RELEASES, 'cuda: "13.1"', "cuda: 13.1", "cuda is 13.1, not a version such as 13.1"),
        (RELEASES, "kvEventsFlag: --", "kvEventsFlag: ", "not a flag such as --name"),
        (RELEASES, "    eventPlane: nats\n", "", "older.0.5.0: eventPlane is missing"),
        (RELEASES, "  1.0.2:", "  1.0:", "releases: 1.0 is not a version such as 1.2.1"),
        (
            RELEASES,
            "default: 1.3.1",
            "default: 9.9.9",
            "9.9.9', which is none of releases",
        ),
        (MODEL, "layers: 36\n", "", "schema/models/gpt-oss-120b.yaml: layers is missing"),
        (
            MODEL,
            "mlp.router.bias: {part: router,",
            "mlp.router.bias: {part: gate,",
            "layerTensors.mlp.router.bias: part is 'gate', not attention or router or norms",
        ),
        (MODEL, "maxNumTokens: 32768", "tokens: 1", "not a map of maxBatchSize and maxNumTokens"),
    ],
)
def test_a_wrong_fact_is_told_by_file_and_key(
    schema: Path, file: str, old: str, new: str, told: str
) -> None:
    message = said(schema, file, old, new)
    assert f"schema/{file}: " in message
    assert told in message


def test_all_that_is_missing_is_told_at_once(schema: Path) -> None:
    head = (schema / HARDWARE).read_text().partition("gpus:\n")[0]
    (schema / HARDWARE).write_text(f"{head}gpus:\n  b300: {{name: NVIDIA B300, sm: 103}}\n")
    with pytest.raises(InputError) as refused:
        assert Facts(schema).gpus
    missing = "memory gpusPerNode architecture productLabels cpuPerGpu memoryPerGpu"
    missing += " nodeCpu nodeMemory nodeDisk"
    assert [str(refused.value), *refused.value.below] == [
        f"schema/hardware.yaml: gpus.b300: {key} is missing" for key in missing.split()
    ]


def test_a_file_that_is_not_there_is_named(schema: Path) -> None:
    (schema / HARDWARE).unlink()
    with pytest.raises(InputError, match=r"^schema/hardware\.yaml is missing$"):
        assert Facts(schema).gpus


def test_a_release_is_found_by_its_minor_release() -> None:
    facts = Facts()
    assert facts.release("1.2.5") is facts.release("1.2") is facts.releases["1.2.1"]


@pytest.mark.parametrize("version", ["9.9", "1", "latest", ""])
def test_an_unknown_release_is_refused_with_those_that_are_known(version: str) -> None:
    known = ", ".join(Facts().every_release)
    with pytest.raises(InputError) as refused:
        Facts().release(version)
    assert str(refused.value) == f"Dynamo release {version} is not known; it is one of {known}"


def test_an_unknown_gpu_is_refused_with_those_that_are_known() -> None:
    known = ", ".join(Facts().gpus)
    with pytest.raises(InputError) as refused:
        Facts().gpu("b3000")
    assert str(refused.value) == f"GPU b3000 is not known; it is one of {known}"


def test_a_release_of_which_no_driver_is_published_names_none() -> None:
    releases = Facts().releases
    assert (releases["1.3.1"].cuda, releases["1.3.1"].driver) == ("13.1", 580)
    assert (releases["1.6.1"].cuda, releases["1.6.1"].driver) == (None, None)

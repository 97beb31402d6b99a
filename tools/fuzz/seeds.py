"""The project's own examples, by the kind of their source; what Helm renders is rendered once."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from fuzz.contents import Content, Files, Source
from gptoss.facts import folders
from gptoss.sources.chart.helm import ChartSource, find_helm, render
from tests.rules import compose_base, examples, gitops_base, servers_base
from tests.sources import manifest_examples, truss_examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

ROOT = Path(__file__).resolve().parents[2]
RELEASE = "1.4.2"
GPUS = ("b200", "gb200", "h100", "h200")
RENDERED = (
    ("agg-gb200", ()),
    ("disagg-gb200", ()),
    ("disagg-gb200", ("runtime.release=1.6.1",)),
    ("disagg-b200-node", ("runtime.release=1.2.1",)),
    ("serve-latency-b200", ()),
)
FORMS = (
    ("compose", "disagg-b200-node"),
    ("shell", "disagg-b200-node"),
    ("shell", "serve-latency-b200"),
    ("kustomize", "agg-gb200"),
    ("truss", "serve-latency-b200"),
)
SCRIPTS = (
    (
        "trtllm-serve serve openai/gpt-oss-120b --host 0.0.0.0 --port 8000 --tp_size 4 --ep_size 4 "
        "--max_batch_size 640 --extra_llm_api_options engine.yaml --reasoning_parser openai\n"
    ),
    (
        "export HF_HOME=/models TP=4\nfor role in prefill decode; do\n"
        '  python3 -m dynamo.trtllm --model-path "${MODEL:-openai/gpt-oss-120b}" \\\n'
        "    --served-model-name gpt-oss --extra-engine-args $role.yaml \\\n"
        "    --disaggregation-mode $role &\ndone\n"
        "python3 -m dynamo.frontend --http-port 8000 & wait\n"
    ),
    (
        "cat > engine.yaml <<EOF\ntensor_parallel_size: 8\nmax_batch_size: 720\nEOF\n"
        "mpirun -n 1 trtllm-llmapi-launch trtllm-serve openai/gpt-oss-120b "
        "--extra_llm_api_options engine.yaml --backend pytorch --max_num_tokens 16384\n"
    ),
)
DOCKER = (
    (
        "docker run --rm --gpus all --ipc host -e HF_TOKEN -v $PWD:/cfg -p 8000:8000 "
        "nvcr.io/nvidia/tensorrt-llm/release:1.2.0 trtllm-serve openai/gpt-oss-120b --tp_size 8 "
        "--extra_llm_api_options /cfg/engine.yaml\n"
    ),
    (
        "docker run -d --gpus '\"device=0,1,2,3\"' --shm-size 16g --name w "
        "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.4.2 python3 -m dynamo.trtllm "
        "--model-path openai/gpt-oss-120b --extra-engine-args engine.yaml\n"
    ),
)
CONFIGS = (
    (".gptoss.yaml", b"ignore:\n  D003: {reason: rounded by the engine, path: '*.yaml'}\n"),
    (".gptoss.yaml", b"ignore: {G022: pinned elsewhere, K006: measured}\n"),
    (
        "pyproject.toml",
        b'[tool.gptoss.ignore]\nG022 = "pinned"\nK006 = {reason = "x", path = "a"}\n',
    ),
)


@dataclass
class Seeds:
    """Every example; what is rendered is rendered when first asked for and then kept."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def source(self, kind: str, random: Random) -> Source:
        """An example of a kind."""
        files, words = getattr(self, f"_{kind}")(random)
        return Source(kind, files, words)

    def data(self, random: Random) -> Any:
        """The data of any example, of which parts are put into another."""
        return yaml.safe_load(random.choice((*self.engines, *self.small)))

    @cached_property
    def engines(self) -> list[str]:
        """Engine YAMLs of the shipped targets."""
        return _texts(folders.chart() / "engine_configs")

    @cached_property
    def small(self) -> list[str]:
        """Manifests, compose files and the like of which each is one small document."""
        bases = (
            servers_base.servers(),
            compose(),
            *(made() for made in gitops_base.BASES.values()),
        )
        return [yaml.safe_dump(data) for data in bases] + [truss_examples.TRUSS]

    @cached_property
    def rendered(self) -> list[str]:
        """Shipped targets as Helm renders them."""
        files, helm = folders.target_files(), find_helm()
        return [
            render(ChartSource(target, (files[target],), settings), helm).output
            for target, settings in RENDERED
        ]

    @cached_property
    def forms(self) -> dict[tuple[str, str], Files]:
        """Shipped targets in other forms: compose files, scripts and so on."""
        return {form: dict(_form(*form)) for form in FORMS}

    def _manifests(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        kind = random.randrange(4)
        if kind == 0:
            return {"deploy.yaml": random.choice(self.rendered).encode()}, ("deploy.yaml",)
        if kind == 1:
            return _folder(ROOT / "examples" / "as-found"), (".",)
        if kind == 2:
            given = ("ALPHA", "BETA", "SERVER")
            graph = getattr(manifest_examples, random.choice(given))
            parts = (manifest_examples.ENGINE, graph, manifest_examples.BENCHMARK)
            return {"deploy.yaml": "---\n".join(parts).encode()}, ("deploy.yaml",)
        return {"deploy.yaml": _example(random).encode()}, ("deploy.yaml",)

    def _engine(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        one, other = (random.choice(self.engines).encode() for _ in range(2))
        told = ("--gpu", random.choice(GPUS), "--release", RELEASE)
        if random.random() < 0.4:
            roles = ("--role", "prefill", "--role", "decode")
            return {"ctx.yaml": one, "gen.yaml": other}, ("ctx.yaml", "gen.yaml", *roles, *told)
        return {"decode.yaml": one}, ("decode.yaml", *told[: random.choice((0, 2, 4))])

    def _servers(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        text = yaml.safe_dump(servers_base.servers(), sort_keys=False)
        return {"servers.yaml": text.encode()}, ("servers.yaml", "--gpu", random.choice(GPUS))

    def _compose(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        if random.random() < 0.4:
            return self.forms["compose", "disagg-b200-node"], (".",)
        env = b"MODEL=openai/gpt-oss-120b\nTP=4\nEMPTY=\n"
        text = yaml.safe_dump(compose(), sort_keys=False).replace("sleep", "${CMD:-sleep}")
        return {"compose.yaml": text.encode(), ".env": env}, ("compose.yaml",)

    def _script(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        if random.random() < 0.4:
            form = random.choice([form for form in FORMS if form[0] == "shell"])
            return self.forms[form], (".",)
        engine = random.choice(self.engines).encode()
        files: Files = {"serve.sh": random.choice(SCRIPTS).encode()}
        files |= dict.fromkeys(("engine.yaml", "prefill.yaml", "decode.yaml"), engine)
        return files, (random.choice(("serve.sh", ".")),)

    def _docker(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        engine = random.choice(self.engines).encode()
        return {"run.sh": random.choice(DOCKER).encode(), "engine.yaml": engine}, ("run.sh",)

    def _truss(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        if random.random() < 0.3:
            return self.forms["truss", "serve-latency-b200"], (".",)
        text = getattr(truss_examples, random.choice(("TRUSS", "CACHED", "VLLM")))
        return {"config.yaml": text.encode()}, ("config.yaml",)

    def _gitops(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        if random.random() < 0.5:
            made = gitops_base.BASES[random.choice(sorted(gitops_base.BASES))]()
            return {"release.yaml": yaml.safe_dump(made).encode()}, ("release.yaml",)
        folder = random.choice(("argocd", "flux", "flux/values-file", "examples/gateway"))
        return _folder(ROOT / folder), (".",)

    def _kustomization(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        files = self.forms["kustomize", "agg-gb200"]
        folders_of = sorted({name.rpartition("/")[0] for name in files} - {""})
        return files, (random.choice((*folders_of, ".")),)

    def _values(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        name, file = random.choice(sorted(folders.values_files().items()))
        text = file.read_bytes().replace(b"engineConfig: .", b"engineConfig: engine/.")
        if name not in folders.target_files():
            return {"overlay.yaml": text}, ("disagg-gb200", "-f", "overlay.yaml")
        return {"mine.yaml": text}, ("mine.yaml",)

    def _settings(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        key = random.choice(("model.servedName", "workers.decode.replicas", "image", "x[0].y"))
        flag = random.choice(("--set", "--set-string", "--set-json", "--set-file"))
        return {"file.txt": b"text\n"}, ("disagg-gb200", flag, f"{key}=file.txt")

    def _config(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        name, content = random.choice(CONFIGS)
        return {name: content, "deploy.yaml": manifest_examples.ALPHA.encode()}, ("deploy.yaml",)

    def _charts(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        file = random.choice(sorted((ROOT / "examples" / "other-charts").glob("*.yaml")))
        return {file.name: file.read_bytes()}, (file.name,)

    def _report(self, random: Random) -> tuple[Files, tuple[str, ...]]:
        folder = random.choice(sorted((ROOT / "tests" / "benchmarking" / "data").glob("*/*")))
        return {f"runs/{name}": content for name, content in _folder(folder).items()}, ("runs",)

    def _prices(self, _: Random) -> tuple[Files, tuple[str, ...]]:
        files: Files = {"prices.yaml": b"gb200: 10.5\nb200: 6\nh100: {hour: 3}\n"}
        files["decode.yaml"] = self.engines[0].encode()
        return files, ("decode.yaml", "--gpu", "b200", "--prices", "prices.yaml")


def compose() -> dict[str, Any]:
    """A compose file with its engine YAML as text."""
    content = compose_base.compose(RELEASE)
    for role, engine in content.pop("engines").items():
        content["configs"][role] = {"content": yaml.safe_dump(engine)}
    return content


@cache
def _rules() -> list[Path]:
    return sorted((ROOT / "tools" / "gptoss" / "rules").glob("*/examples/*.txt"))


def _example(random: Random) -> str:
    """The manifests of a rule's example."""
    file = random.choice(_rules())
    parts = file.read_text(encoding="utf-8").split("\n\n# ")
    text = random.choice(parts).partition("\n")[2]
    try:
        return examples.text_of(examples.read(text))
    except (AttributeError, LookupError, TypeError, ValueError):  # of another form
        return manifest_examples.ALPHA


def _form(form: str, target: str) -> Iterator[tuple[str, Content]]:
    """The files that a target is rendered to in a form."""
    with tempfile.TemporaryDirectory() as name:
        argv = [sys.executable, "-m", "gptoss", "render", target, "--as", form, "--output", name]
        subprocess.run(argv, check=True, capture_output=True)
        yield from _folder(Path(name)).items()


def _folder(folder: Path) -> Files:
    """The files of a folder, by path below it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _texts(folder: Path) -> list[str]:
    files = sorted(path for path in folder.rglob("*.yaml") if path.is_file())
    return [path.read_text(encoding="utf-8") for path in files]

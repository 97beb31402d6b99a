"""Secrets of every kind, planted into every kind of source."""

from __future__ import annotations

import base64
import json
import shlex

import yaml

from tests.chart.rendering import ROOT
from tests.rules.gitops_base import application

MARK = "Zk3vWq8n"
BODY = f"{MARK}5Lm2Xc7Bd4Fg6Hj{MARK}"
CAPITALS = "ZK3VWQ8NBD4FG6HJ"
LONG = f"{BODY}{BODY}{MARK}"
# By their form; they stand under names that say nothing.
ISSUED = {
    "hugging_face": f"hf_{BODY}",
    "short_hugging_face": f"hf_{MARK}",
    "nvidia": f"nvapi-{BODY}",
    "github": f"ghp_{BODY}",
    "github_oauth": f"gho_{BODY}",
    "github_user": f"ghu_{BODY}",
    "github_server": f"ghs_{BODY}",
    "github_refresh": f"ghr_{BODY}",
    "github_pat": f"github_pat_11{BODY}",
    "gitlab": f"glpat-{BODY}",
    "openai": f"sk-proj-{BODY}",
    "aws": f"AKIA{CAPITALS}",
    "aws_session": f"ASIA{CAPITALS}",
    "slack": f"xoxb-12345-{BODY}",
    "google": f"AIza{BODY}{MARK}",
    "npm": f"npm_{BODY}",
    "pypi": f"pypi-AgEI{BODY}",
    "web_token": f"eyJhbGci{BODY}.eyJzdWIi{BODY}.{BODY}",
    "ngc": f"{LONG}{MARK}==",
    "address": f"postgres://user:{BODY}@db.example/x",
    "pem": f"-----BEGIN PRIVATE KEY-----{LONG}-----END PRIVATE KEY-----",
    "header": f"Authorization: Bearer {BODY}",
    "google_account": json.dumps({"type": "service_account", "private_key": BODY}),
    "azure": f"AccountName=a;AccountKey={LONG}==",
}
# By the names that they are given to: words like any other.
NAMED = {
    "DB_PASSWORD": MARK,
    "REDIS_PASS": MARK,
    "MY_API_KEY": MARK,
    "AWS_SECRET_ACCESS_KEY": f"{MARK}/{MARK}+{MARK}",
    "SERVICE_TOKEN": MARK,
    "OIDC_CLIENT_SECRET": MARK,
    "WANDB_KEY": MARK,
    "SSH_PASSPHRASE": MARK,
    "PROXY_AUTHORIZATION": MARK,
    "HF_TOKEN": MARK,
}
VARIABLES = {f"PLAIN_{name.upper()}": value for name, value in ISSUED.items()} | NAMED
FLAGS = {"--api-key": MARK, "--hf-token": MARK, "--tp_size": ISSUED["address"]}
FLAG_WORDS = [
    *(word for pair in FLAGS.items() for word in pair),
    f"--auth-token={MARK}",
    "--header",
    ISSUED["header"],
]
ENTRIES = [{"name": name, "value": value} for name, value in VARIABLES.items()]
SERVE = ["trtllm-serve", "openai/gpt-oss-120b", "--port", "8000", "--nonsense"]
ASSIGNED = " ".join(f"{name}={shlex.quote(value)}" for name, value in VARIABLES.items())


def _application() -> object:
    app = application()
    helm = app["spec"]["source"]["helm"]
    helm["valuesObject"]["workers"] = {"worker": VALUES["workers"]["worker"]}
    helm["parameters"] = [{"name": "frontend.env.API_KEY", "value": MARK}]
    return app


def _written(data: object) -> str:
    return yaml.safe_dump(data, sort_keys=False, width=10_000)


WORKER_WORDS = ["-m", "dynamo.trtllm", "--model-path", "openai/gpt-oss-120b", "--nonsense"]
MANIFEST = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "planted"},
    "spec": {
        "services": {
            "Frontend": {"componentType": "frontend", "replicas": 1},
            "decode": {
                "componentType": "worker",
                "replicas": 1,
                "envs": ENTRIES,
                "resources": {"limits": {"gpu": "4"}},
                "extraPodSpec": {
                    "mainContainer": {
                        "image": "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1",
                        "command": ["python3"],
                        "args": [*WORKER_WORDS, *FLAG_WORDS],
                    }
                },
            },
        }
    },
}
# The words of a target are those of its own file.
VALUES = yaml.safe_load((ROOT / "charts/gpt-oss/targets/agg-gb200.yaml").read_text())
VALUES["workers"]["worker"] |= {"env": VARIABLES, "extraArgs": FLAG_WORDS}
ENGINE = "".join(
    [
        "tensor_parallel_size: 4\n",
        f"max_batch_sise: 64  # PASSWORD={MARK}\n",
        f"max_seq_len: hf_{BODY}\n",
        *(f"# {name}={value!r}\n" for name, value in VARIABLES.items()),
    ]
)
LOAD = ["aiperf", "profile", "--model", "openai/gpt-oss-120b", "--url", "http://f:8000"]
COUNTS = ["--concurrency", "8", "--request-count", "80", "--synthetic-input-tokens-mean", "128"]


SOURCES = {
    "values.yaml": _written(VALUES),
    "manifest.yaml": _written(MANIFEST),
    "manifest.json.yaml": json.dumps(MANIFEST, indent=1),
    "compose.yaml": _written(
        {
            "services": {
                "server": {
                    "image": "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
                    "command": [*SERVE, *FLAG_WORDS, "--tail", "${FROM_FILE}"],
                    "environment": {**VARIABLES, "PASSWORD": "${FILE_PASSWORD}"},
                    "ports": ["8000:8000"],
                }
            }
        }
    ),
    "serve.sh": f"{ASSIGNED} {shlex.join([*SERVE, *FLAG_WORDS])}\n",
    "exported.sh": "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in VARIABLES.items()
    )
    + shlex.join([*SERVE, *FLAG_WORDS])
    + "\n",
    "docker.sh": shlex.join(
        [
            *("docker", "run", "--gpus", "all"),
            *(word for name, value in VARIABLES.items() for word in ("-e", f"{name}={value}")),
            *("nvcr.io/nvidia/tensorrt-llm/release:1.2.0", *SERVE, *FLAG_WORDS),
        ]
    )
    + "\n",
    "engine.yaml": ENGINE,
    "load.sh": f"{ASSIGNED} {shlex.join([*LOAD, *COUNTS, *FLAG_WORDS])}\n",
    "app.yaml": _written(_application()),
    "config.yaml": _written(
        {
            "environment_variables": VARIABLES,
            "resources": {"accelerator": "B200", "use_gpu": True},
            "trt_llm": {
                "inference_stack": "v2",
                "build": {"checkpoint_repository": {"source": "HF", "repo": "openai/gpt-oss-120b"}},
                "runtime": {"max_seq_len": 4096, **VARIABLES},
            },
        }
    ),
}
BESIDE = {".env": f"FROM_FILE={ISSUED['gitlab']}\nFILE_PASSWORD={MARK}\n"}


def leaks(printed: str) -> list[str]:
    """The lines of an output in which something planted stands, in whatever case or coding."""
    coded = base64.b64encode(MARK.encode()).decode()[:10]
    marks = (MARK.lower(), CAPITALS.lower(), coded.lower())
    return [line for line in printed.splitlines() if any(m in line.lower() for m in marks)]

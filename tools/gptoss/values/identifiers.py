"""Values that name something: what may stand in them, and an example of each.

The patterns are narrower than the languages that a name passes through (YAML, shell, command lines,
URLs), so that no name means anything in them. They are read by Go in Helm, by Rust in pydantic and
by editors: only classes of characters, and no line break at the end of any.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints


def _pattern(pattern: str) -> StringConstraints:
    return StringConstraints(pattern=pattern)


_WORD = r"[A-Za-z0-9_]([-A-Za-z0-9_.]*[A-Za-z0-9_])?"
# A path below the top of a folder, without `..`.
FOLDER = r"[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*"
HOST_FOLDER = "/[-A-Za-z0-9_./:@+]+"
_HOST = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_REGISTRY = r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?"
_REPOSITORY = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*"
# RFC 3986 section 2, without quotes and dollar signs.
_OF_URLS = r"[-A-Za-z0-9._~:/?#\[\]@!&()*+,;=%]"

# Kubernetes' rules: RFC 1123 subdomains and labels.
NAME = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
Name = Annotated[str, _pattern(NAME), Field(examples=["hf-token-secret"])]
NameOrNone = Annotated[
    str, _pattern("^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$"), Field(examples=["fast"])
]
ClaimName = Annotated[str, _pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"), Field(examples=["weights"])]
# kubernetes/apimachinery pkg/util/validation IsConfigMapKey.
Key = Annotated[str, _pattern("^[-._A-Za-z0-9]+$"), Field(examples=["HF_TOKEN"])]
# The same, IsQualifiedName.
QualifiedName = Annotated[str, _pattern(f"^({_HOST}/)?{_WORD}$"), Field(examples=["rdma/ib"])]
Host = Annotated[str, _pattern(rf"^(\*\.)?{_HOST}$"), Field(examples=["chat.example.com"])]
Cidr = Annotated[str, _pattern(r"^[0-9A-Fa-f:.]+/[0-9]+$"), Field(examples=["10.0.0.0/8"])]
UrlPath = Annotated[str, _pattern("^/[!-~]*$"), Field(examples=["/v1"])]
Url = Annotated[
    str, _pattern(f"^https?://{_OF_URLS}+$"), Field(examples=["http://prometheus.example.com:9090"])
]
Folder = Annotated[str, _pattern(f"^{FOLDER}$"), Field(examples=["team/models"])]
FolderOrTop = Annotated[str, _pattern(rf"^(\.|{FOLDER})$"), Field(examples=["gpt-oss-120b"])]
FolderOrNone = Annotated[str, _pattern(f"^({FOLDER})?$"), Field(examples=["runs"])]
HostFolder = Annotated[str, _pattern(f"^{HOST_FOLDER}$"), Field(examples=["/mnt/nvme/models"])]
EngineFile = Annotated[
    str, _pattern(rf"^{FOLDER}\.ya?ml$"), Field(examples=["b200/agg/worker.yaml"])
]
# huggingface_hub utils/_validators.py validate_repo_id, with what TensorRT-LLM's users call models.
ModelId = Annotated[str, _pattern(f"^{_WORD}(/{_WORD})?$"), Field(examples=["openai/gpt-oss-120b"])]
ServedName = Annotated[
    str,
    _pattern("^[A-Za-z0-9_]([-A-Za-z0-9_./:@+]*[A-Za-z0-9_])?$"),
    Field(examples=["openai/gpt-oss-120b"]),
]
Commit = Annotated[
    str,
    _pattern("^[0-9a-f]{40}$"),
    Field(examples=["0123456789abcdef0123456789abcdef01234567"]),
]
Checkpoint = Annotated[
    str,
    _pattern("^(s3|gs)://[a-z0-9][-a-z0-9._]*(/[!-~]*)?$"),
    Field(examples=["s3://bucket/gpt-oss-120b"]),
]
# distribution/reference, and OCI image-spec descriptor.md for digests.
Image = Annotated[
    str,
    _pattern(
        rf"^({_REGISTRY}/)?{_REPOSITORY}(:[A-Za-z0-9_][-A-Za-z0-9_.]*)?(@[a-z0-9]+:[0-9a-f]+)?$"
    ),
    Field(examples=["registry.example.com:5000/runtime:1.3.1"]),
]
Registry = Annotated[
    str,
    _pattern(f"^{_REGISTRY}(/{_REPOSITORY})?/?$"),
    Field(examples=["registry.example.com/mirror"]),
]
# What is said to people, on lines: no character that means something to a terminal.
Line = Annotated[
    str,
    _pattern(r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f]*$"),
    Field(examples=["Chat for the team, 2,000 tokens in and 500 out"]),
]

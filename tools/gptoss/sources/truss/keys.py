"""Keys of a Truss ``config.yaml`` that only Baseten's platform reads.

What each does there is from Baseten's configuration reference (docs.baseten.co) and
basetenlabs/truss-examples @dc9c166.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlatformKey:
    """A key that means something on Baseten only.

    Attributes:
        does: What it does there.
        instead: What to use here.
    """

    does: str
    instead: str


TOP = {
    "base_image": PlatformKey("is the image that the model server is built on", "runtime.image"),
    "build": PlatformKey("picks the model server", "nothing: the image has its own"),
    "build_commands": PlatformKey(
        "runs commands while Baseten builds the image, here to fetch the harmony vocabulary",
        "nothing: the model cache holds the vocabulary",
    ),
    "data_dir": PlatformKey("adds files to the image", "workers.worker.extraVolumes"),
    "description": PlatformKey("is shown in Baseten's console", "description"),
    "external_data": PlatformKey("adds files to the image", "workers.worker.extraVolumes"),
    "external_package_dirs": PlatformKey("adds Python packages to the image", "runtime.image"),
    "model_class_filename": PlatformKey("names Python code around the engine", "nothing"),
    "model_class_name": PlatformKey("names Python code around the engine", "nothing"),
    "model_module_dir": PlatformKey("names Python code around the engine", "nothing"),
    "model_name": PlatformKey("is the name in Baseten's console", "the name of the Helm release"),
    "python_version": PlatformKey("picks Baseten's build image", "nothing: the image has Python"),
    "requirements": PlatformKey("installs Python packages into the image", "runtime.image"),
    "requirements_file": PlatformKey("installs Python packages into the image", "runtime.image"),
    "secrets": PlatformKey(
        "hands secrets of the Baseten workspace to the container",
        "an existing Secret: modelCache.download.tokenSecret",
    ),
    "spec_version": PlatformKey("is the version of the file's format", "nothing"),
    "system_packages": PlatformKey("installs Debian packages into the image", "runtime.image"),
    "weights": PlatformKey("mirrors weights to Baseten's storage", "modelCache"),
}

METADATA = {
    "example_model_input": PlatformKey(
        "is the request that Baseten's console suggests", "helm test, which sends one of its own"
    ),
    "tags": PlatformKey(
        "tells Baseten that the server speaks OpenAI's API", "nothing: it always does"
    ),
}

RESOURCES = {
    "cpu": PlatformKey(
        "is the least that Baseten's instance must have; the accelerator decides",
        "workers.worker.resources; the chart requests CPUs a GPU",
    ),
    "instance_type": PlatformKey("picks a machine of Baseten", "hardware.nodeSelector"),
    "memory": PlatformKey(
        "is the least that Baseten's instance must have; the accelerator decides",
        "workers.worker.resources; the chart requests memory a GPU",
    ),
    "node_count": PlatformKey("spreads the model over machines", "workers.worker.nodes"),
    "use_gpu": PlatformKey("repeats that there is an accelerator", "nothing"),
}

RUNTIME = {
    "config_path": PlatformKey("names a file of Baseten's server", "nothing"),
    "served_model_name": PlatformKey("is the public name", "model.servedName"),
    "webserver_default_route": PlatformKey(
        "is the route that Baseten's gateway calls", "nothing: clients give the route"
    ),
}

PATCH_KWARGS = {
    "chat_processor": PlatformKey(
        "makes Baseten's server speak the harmony format",
        "nothing: trtllm-serve does so for gpt-oss by itself",
    ),
    "model_level_stop_words": PlatformKey(
        "adds stop words to every request in Baseten's server",
        "stop in the request; harmony's own are built in",
    ),
    "model_path": PlatformKey(
        "says where Baseten puts the weights", "nothing: the model cache knows"
    ),
    "tokenizer_limit_length": PlatformKey(
        "is the longest prompt that Baseten's server takes", "max_seq_len in the engine"
    ),
}

VERSIONS = PlatformKey(
    "pins a build of Baseten's own server", "runtime.release, which pins TensorRT-LLM"
)
REVISION = PlatformKey("moves with the repository", "model.revision, a commit that nobody can move")

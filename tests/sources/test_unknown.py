"""A deployment of another model on another GPU is judged as far as facts go."""

from __future__ import annotations

from gptoss.checking.checker import run
from tests.sources.manifest_examples import ALPHA, BETA, ENGINE, FACTS, deployment

HERE_DOCUMENT = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: scripted}
spec:
  services:
    worker:
      componentType: worker
      replicas: 1
      resources: {limits: {gpu: "8"}}
      extraPodSpec:
        nodeSelector: {nvidia.com/gpu.product: Some-GPU-of-tomorrow}
        mainContainer:
          image: registry/runtime:1.2.1
          command: [sh, -c]
          args:
            - |
              cat > /tmp/engine.yaml <<'END'
              tensor_parallel_size: 4
              max_batch_sise: 64
              END
              exec python3 -m dynamo.trtllm --model-path someone/another-model \\
                --extra-engine-args /tmp/engine.yaml
"""
IN_IMAGE = HERE_DOCUMENT.replace("cat > /tmp/engine.yaml", "cat > /tmp/other.yaml")


def test_rules_without_facts_are_listed_and_all_others_run() -> None:
    found = deployment(HERE_DOCUMENT)
    assert found.model is None
    assert found.workers[0].gpu is None
    result = run(found, FACTS)
    reasons = {item.reason for item in result.not_applied}
    assert {"no facts about the model", "worker: no facts about the GPU"} <= reasons
    lines = {finding.rule.id: finding.place.line for finding in result.findings}
    assert lines["E001"] == 19, "a here-document is read at its own lines"
    assert lines["P002"] == 9, "GPUs are compared with sizes without facts about either"


def test_an_engine_yaml_that_only_the_image_has_is_no_reason_to_guess() -> None:
    found = deployment(IN_IMAGE)
    assert not found.workers[0].engine_known
    result = run(found, FACTS)
    assert "worker: the engine YAML is not among what was given" in {
        item.reason for item in result.not_applied
    }
    assert not {"E001", "P001", "P002"} & {finding.rule.id for finding in result.findings}


def test_a_model_with_facts_is_known_by_its_name_in_both_versions_of_the_resource() -> None:
    for text in (ALPHA, BETA):
        assert deployment(ENGINE, text).model is FACTS.models["openai/gpt-oss-120b"]

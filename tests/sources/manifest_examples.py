"""Compact manifests that the tests of the reader share."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.facts.world import Facts
from gptoss.sources.kubernetes.build import build
from gptoss.sources.parts.reading import Locator, as_rendered
from gptoss.text.yaml_tree import Tree, parse_documents

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment

FACTS = Facts()

ENGINE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: engines}
data:
  prefill.yaml: |
    tensor_parallel_size: 1
    max_batch_size: 64
    kv_cache_config:
      free_gpu_memory_fraction: 0.8
  decode.yaml: |
    tensor_parallel_size: 4
    max_batch_size: 128
"""

ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: gpt-oss
  annotations: {team: serving}
spec:
  pvcs:
    - {name: made, create: true, size: 1Gi, storageClass: x, volumeAccessMode: ReadWriteMany}
    - {name: cache, create: false}
  envs:
    - {name: LEVEL, value: graph}
    - {name: ONLY_GRAPH, value: "1"}
  services:
    Frontend:
      componentType: frontend
      replicas: 2
      extraPodSpec:
        mainContainer:
          image: registry/runtime:1.2.1
    Prefill:
      componentType: worker
      subComponentType: prefill
      dynamoNamespace: old
      envFromSecret: hf-token
      envs:
        - {name: LEVEL, value: service}
      volumeMounts:
        - {name: cache, mountPoint: /models}
      sharedMemory: {size: 16Gi}
      resources:
        requests: {gpu: "1", cpu: "8"}
        limits: {gpu: "1", memory: 64Gi, custom: {rdma/ib: "1"}}
      multinode: {nodeCount: 2}
      extraPodMetadata:
        annotations: {checksum/engine: abc}
      extraPodSpec:
        terminationGracePeriodSeconds: 90
        nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}
        tolerations:
          - {key: nvidia.com/gpu, operator: Exists}
        imagePullSecrets:
          - name: registry-login
        securityContext: {runAsUser: 0, runAsNonRoot: true}
        volumes:
          - name: engine
            configMap: {name: engines, items: [{key: prefill.yaml, path: worker.yaml}]}
        mainContainer:
          image: registry/runtime:1.2.1
          securityContext: {privileged: true, runAsUser: 1000}
          startupProbe: {httpGet: {path: /live, port: system}}
          env:
            - {name: LEVEL, value: container}
            - {name: MODEL, value: openai/gpt-oss-120b}
            - name: TOKEN
              valueFrom: {secretKeyRef: {name: other, key: token}}
            - {name: DYN_TRTLLM_MAX_NUM_TOKENS, value: "9000"}
          volumeMounts:
            - {name: engine, mountPath: /etc/engine, readOnly: true}
          args:
            - |
              # start
              python3 -m dynamo.trtllm --model "$MODEL" \\
                --extra-engine-args /etc/engine/worker.yaml \\
                --max-batch-size 32 --disaggregation-mode prefill
    Planner:
      componentType: planner
      extraPodSpec:
        mainContainer:
          command: [python3, -m, dynamo.planner]
"""

BETA = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: gpt-oss}
spec:
  env:
    - {name: LEVEL, value: graph}
  components:
    - name: front
      type: frontend
      podTemplate:
        spec:
          containers:
            - name: main
              image: registry/runtime:1.5.1
    - name: decode
      type: decode
      replicas: 3
      runtimeVersionOverride: 1.5.1
      sharedMemorySize: 20Gi
      podTemplate:
        metadata:
          annotations: {checksum/engine: abc}
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                  - matchExpressions:
                      - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-B200]}
              preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 1
                  preference:
                    matchExpressions: [{key: zone, operator: In, values: [a, b]}]
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                - topologyKey: kubernetes.io/hostname
                  labelSelector:
                    matchLabels: {app: gpt-oss}
              preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 1
                  podAffinityTerm:
                    topologyKey: zone
                    labelSelector:
                      matchExpressions: [{key: app, operator: In, values: [x]}]
          volumes:
            - name: cache
              persistentVolumeClaim: {claimName: cache, readOnly: true}
            - name: engine
              configMap: {name: engines}
          containers:
            - name: sidecar
              image: other
            - name: main
              image: registry/runtime@sha256:0123
              command: [python3, -m, dynamo.trtllm]
              args:
                - --model-path=/models/hub/models--openai--gpt-oss-120b/snapshots/abc
                - --extra-engine-args
                - /etc/engine.yaml
              env:
                - {name: LEVEL, value: container}
              envFrom:
                - secretRef: {name: hf-token}
              resources:
                limits: {nvidia.com/gpu: 4, memory: 64Gi}
              volumeMounts:
                - {name: cache, mountPath: /models}
                - {name: engine, mountPath: /etc/engine.yaml, subPath: decode.yaml}
"""

BENCHMARK = """\
apiVersion: batch/v1
kind: Job
metadata: {name: bench}
spec:
  template:
    metadata:
      annotations: {gpt-oss/gpus: "5"}
    spec:
      containers:
        - name: aiperf
          image: python:3.12
          env:
            - {name: PER_GPU, value: "100"}
            - {name: CONCURRENCY_PER_GPU, value: $(PER_GPU)}
            - {name: ISL, value: "8192"}
            - {name: OSL, value: "1024"}
          command: [bash, -euo, pipefail, -c]
          args:
            - |
              pip install aiperf
              measure() {
                aiperf profile --isl $2 --concurrency $1 --request-count $((10 * $1))
              }
              measure $((CONCURRENCY_PER_GPU * 5)) $ISL
"""

DOWNLOAD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: fetch}
spec:
  template:
    spec:
      containers:
        - name: fetch
          image: python:3.12
          env:
            - {name: MODEL_REVISION, value: abcdef}
          command: [sh, -c]
          args:
            - hf download --local-dir /models openai/gpt-oss-120b --revision $MODEL_REVISION
"""

CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cache}
"""

SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: gpt-oss-server, annotations: {team: serving}}
spec:
  replicas: 1
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
  progressDeadlineSeconds: 7200
  selector: {matchLabels: {app: gpt-oss}}
  template:
    metadata:
      labels: {app: gpt-oss}
      annotations: {prometheus.io/scrape: "true", prometheus.io/path: /prometheus/metrics}
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}
      volumes:
        - {name: engine, configMap: {name: engines}}
        - {name: memory, emptyDir: {medium: Memory, sizeLimit: 16Gi}}
      containers:
        - name: main
          image: nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc14
          command: [/bin/sh, -c]
          args:
            - |
              trtllm-serve serve "$MODEL" \\
                --config /etc/engine/decode.yaml --tp_size 4 --max_batch_size 32
          env:
            - {name: MODEL, value: openai/gpt-oss-120b}
          ports: [{name: http, containerPort: 8000}]
          startupProbe: {httpGet: {path: /health, port: http}, failureThreshold: 360}
          resources: {limits: {nvidia.com/gpu: "4"}}
          volumeMounts:
            - {name: engine, mountPath: /etc/engine}
            - {name: memory, mountPath: /dev/shm}
---
apiVersion: v1
kind: Service
metadata: {name: gpt-oss-server}
spec:
  selector: {app: gpt-oss}
  ports: [{name: http, port: 8000, targetPort: http}]
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: gpt-oss-server}
spec:
  selector: {matchLabels: {app: gpt-oss}}
  podMetricsEndpoints: [{port: http, path: /prometheus/metrics}]
"""


def documents(*texts: str) -> list[Tree]:
    return parse_documents("---\n".join(textwrap.dedent(text) for text in texts), "all.yaml")


def deployment(
    *texts: str, locate: Locator = as_rendered, release: str | None = None
) -> Deployment:
    return build(documents(*texts), "all.yaml", FACTS, locate, release)

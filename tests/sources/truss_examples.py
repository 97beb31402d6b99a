"""Truss configurations that tests share."""

TRUSS = """\
model_name: GPT OSS 120B
build_commands: [python -c pass]
model_metadata:
  example_model_input: {model: openai/gpt-oss-120b}
  tags: [openai-compatible]
environment_variables: {NCCL_DEBUG: WARN}
resources:
  accelerator: H100:2
  cpu: "1"
  use_gpu: true
trt_llm:
  build:
    checkpoint_repository: {repo: openai/gpt-oss-120b, revision: refs/pr/35, source: HF}
  inference_stack: v2
  runtime:
    enable_chunked_prefill: true
    max_batch_size: 64
    max_num_tokens: 8192
    max_seq_len: 98304
    served_model_name: gpt-oss
    tensor_parallel_size: 2
    patch_kwargs:
      chat_processor: harmony
      max_seq_len: 131072
      disable_overlap_scheduler: 1
      enable_autotuner: 0
      kv_cache_config: {free_gpu_memory_fraction: 0.8, enable_block_reuse: true}
      moe_config: {backend: TRITON}
      moe_expert_parallel_size: 2
  version_overrides: {v2_llm_version: custom}
"""

CACHED = """\
model_metadata: {repo_id: openai/gpt-oss-120b}
resources: {accelerator: B200}
model_cache:
  - {repo_id: openai/gpt-oss-120b, revision: main, use_volume: true, volume_folder: weights}
trt_llm:
  build:
    checkpoint_repository: {repo: someone/empty, revision: main, source: HF}
  inference_stack: v2
  runtime:
    max_batch_size: 64
    patch_kwargs: {model_path: /app/model_cache/weights}
"""

VLLM = """\
model_metadata: {repo_id: openai/gpt-oss-120b}
resources: {accelerator: H100}
docker_server:
  start_command: vllm serve openai/gpt-oss-120b
  server_port: 8000
"""

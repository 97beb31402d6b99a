"""What a request can be held against in a goodput objective."""

# Metrics of one request in aiperf 0.13.0's registry, times in milliseconds. aiperf takes any other
# key without a word before the run.
METRICS = (
    "request_latency",
    "time_to_first_token",
    "time_to_second_token",
    "time_to_first_output_token",
    "inter_token_latency",
    "inter_chunk_latency",
    "output_token_throughput_per_user",
    "prefill_throughput_per_user",
    "decode_duration",
    "input_sequence_length",
    "output_sequence_length",
    "output_token_count",
    "reasoning_token_count",
    "network_adjusted_request_latency",
    "network_adjusted_time_to_first_token",
    "network_adjusted_time_to_first_output_token",
    "e2e_output_token_throughput",
    "thinking_efficiency",
)

"""A small writer of every preset: requests as they were meant, to records as the format has them."""

from collections.abc import Callable
from typing import Any, NamedTuple

JSON = dict[str, Any]


class Meant(NamedTuple):
    """One request: it failed, or has answers, each of so many tokens unless nothing is known of them."""

    identity: int
    failed: bool
    answers: int
    tokens: int | None
    prompt: int
    cached: int
    cut: bool
    seconds: float

    @property
    def total(self) -> int | None:
        return None if self.tokens is None else self.tokens * self.answers

    @property
    def usage(self) -> JSON | None:
        if self.total is None:
            return None
        details = {"cached_tokens": self.cached}
        return {"prompt_tokens": self.prompt, "completion_tokens": self.total, "prompt_tokens_details": details}

    @property
    def reason(self) -> str:
        return "length" if self.cut else "stop"

    @property
    def choices(self) -> list[JSON]:
        return [{"message": {"content": "text"}, "finish_reason": self.reason}] * self.answers

    @property
    def meta(self) -> JSON:
        counts = {"prompt_tokens": self.prompt, "completion_tokens": self.tokens or 0, "cached_tokens": self.cached}
        reason = {"type": "abort" if self.failed else self.reason}
        return {"id": f"m{self.identity}", "finish_reason": reason, "e2e_latency": self.seconds, **counts}

    def each(self, value: object) -> list[Any]:
        """Return a value for each answer."""
        return [value] * self.answers


class Format(NamedTuple):
    """What a preset's records can say; what they cannot is unknown to whoever reads them."""

    write: Callable[[Meant], JSON | list[JSON]]
    many: bool = True
    """Several answers a record."""
    tokens: bool = True
    always_counted: bool = False
    """Counts are never missing."""
    prompt: bool = True
    prompt_without_tokens: bool = False
    cached: bool = False
    reasons: bool = True
    latency: bool = False
    named: bool = True
    fails: bool = True
    fails_each: bool = False
    """A request that failed is as many errors as it should have had answers."""
    loses_tokens: bool = False
    """A record that failed says how many tokens were generated."""
    prompt_each: bool = False
    """Each answer has its prompt counted."""
    lines: int = 1
    """How many records are written for a request."""
    stream: bool = False
    summary: bool = False
    """A record sums up many requests."""
    once: bool = False
    """A repeated id is no work."""


def openai_batch(meant: Meant) -> JSON:
    record = {"custom_id": f"c{meant.identity}", "error": None}
    if meant.failed:
        return {**record, "response": {"status_code": 400, "body": {"error": {"message": "no"}}}}
    body = {"object": "chat.completion", "choices": meant.choices, "usage": meant.usage}
    return {**record, "response": {"status_code": 200, "body": body}}


def openai_stream(meant: Meant) -> list[JSON]:
    chunk = {"id": f"s{meant.identity}", "object": "chat.completion.chunk", "usage": None}
    begin = {**chunk, "choices": [{"delta": {"content": "t"}, "finish_reason": None}]}
    if meant.failed:
        return [begin, {**chunk, "error": {"message": "no"}}]
    end = {**chunk, "choices": [{"delta": {}, "finish_reason": meant.reason}]}
    return [begin, end, {**chunk, "choices": [], "usage": meant.usage}]


def sglang_stream(meant: Meant) -> list[JSON]:
    tokens = meant.tokens or 0
    middle = {**meant.meta, "completion_tokens": tokens // 2, "finish_reason": None}
    return [{"text": "t", "meta_info": middle}, {"text": "text", "meta_info": meant.meta}]


def openai_chat(meant: Meant) -> JSON:
    if meant.failed:
        return {"id": meant.identity, "object": "error", "message": "no"}
    return {"id": meant.identity, "object": "chat.completion", "choices": meant.choices, "usage": meant.usage}


def litellm_log(meant: Meant) -> JSON:
    status = "failure" if meant.failed else "success"
    record = {"id": meant.identity, "call_type": "acompletion", "startTime": 1.0, "status": status}
    counts = {"prompt_tokens": meant.prompt, "completion_tokens": meant.total}
    return {**record, **counts, "response_time": meant.seconds, "response": {"choices": meant.choices}}


def openai_wrapped(meant: Meant) -> JSON:
    if meant.failed:
        return {"prompt_id": meant.identity, "response": None, "error": "ReadTimeout"}
    answer = {"choices": meant.choices, "usage": meant.usage}
    return {"prompt_id": meant.identity, "response": answer, "error": None, "latency_s": meant.seconds}


def sglang_metrics_export(meant: Meant) -> JSON:
    return {"request_parameters": "{}", **meant.meta}


def sglang_request_log(meant: Meant) -> list[JSON]:
    record = {"rid": meant.identity, "obj": {}}
    out = {"text": "text", "meta_info": meant.meta}
    return [{**record, "event": "request.received"}, {**record, "event": "request.finished", "out": out}]


def sglang_generate(meant: Meant) -> JSON:
    return {"text": "text", "meta_info": meant.meta}


def bench_serving(meant: Meant) -> JSON:
    completed, failed = (0, 1) if meant.failed else (meant.answers, 0)
    totals = {"total_output_tokens": meant.total, "total_input_tokens": meant.prompt}
    totals = dict.fromkeys(totals, 0) if meant.failed else totals
    return {"request_throughput": 1.0, "duration": 9.0, "completed": completed, "failed": failed, **totals}


def bench_offline_throughput(meant: Meant) -> JSON:
    totals = {"total_output_tokens": meant.total, "total_input_tokens": meant.prompt}
    return {"successful_requests": meant.answers, "total_latency": 9.0, **totals}


def bench_one_batch_server(meant: Meant) -> JSON:
    lengths = {"output_len": meant.tokens, "input_len": meant.prompt}
    return {"run_name": "default", "batch_size": meant.answers, "latency": 9.0, **lengths}


def speculators_regen(meant: Meant) -> JSON:
    if meant.failed:
        return {"id": meant.identity, "primary_id": "p", "metadata": {"error": "no"}}
    metadata = {"finish_reason": meant.reason, "usage": meant.usage or {}}
    return {"id": meant.identity, "primary_id": "p", "text": "text", "metadata": metadata}


def turns(
    meant: Meant, who: str = "role", said: str = "content", names: tuple[str, str] = ("user", "assistant")
) -> Any:  # noqa: ANN401 - JSON
    return [{who: name, said: "text"} for _ in range(meant.answers) for name in names]


def modelopt_generate(meant: Meant) -> JSON:
    record = {"conversation_id": meant.identity}
    return record if meant.failed else {**record, "conversations": turns(meant)}


def specforge_regen(meant: Meant) -> JSON:
    status = {"status": "error", "error": "no"} if meant.failed else {"status": "success"}
    return {"id": meant.identity, "conversations": turns(meant), **status}


def nemo_skills(meant: Meant) -> JSON:
    record: JSON = {"_async_position": meant.identity, "generation": "text", "num_generated_tokens": -1}
    if meant.failed:
        return {**record, "error": "no"}
    if meant.tokens is not None:
        record.update(num_generated_tokens=meant.tokens, num_input_tokens=meant.prompt)
    return {**record, "finish_reason": meant.reason, "generation_time": meant.seconds}


def open_r1(meant: Meant) -> JSON:
    usage = None if meant.tokens is None else {"completion_tokens": meant.tokens, "prompt_tokens": meant.prompt}
    texts = meant.each(None if meant.failed else "text")
    answers = {"generations": texts, "finish_reasons": meant.each(meant.reason)}
    return {"uuid": meant.identity, **answers, "api_metadata": meant.each(None if meant.failed else usage)}


def curator(meant: Meant) -> JSON:
    record = {
        "generic_request": {"original_row_idx": meant.identity},
        "response_message": None if meant.failed else "a",
    }
    usage = None if meant.tokens is None else {"output": meant.tokens, "input": meant.prompt}
    times = {"created_at": "2026-11-29 15:00:00", "finished_at": f"2026-11-29 15:00:{meant.seconds:06.3f}"}
    errors = ["no"] if meant.failed else None
    return {**record, **times, "response_errors": errors, "token_usage": usage, "finish_reason": meant.reason}


def distilabel(meant: Meant) -> JSON:
    statistics = {"statistics_text_0": {"output_tokens": meant.tokens, "input_tokens": meant.prompt}}
    if meant.failed:
        return {"generation": None, "distilabel_metadata": {}}
    return {"generation": meant.each("text"), "distilabel_metadata": meant.each(statistics)}


def datatrove_inference(meant: Meant) -> JSON:
    if meant.failed:
        return {"id": meant.identity, "metadata": {"rollout_results": [], "__no_rollouts_remove": True}}
    usage = None if meant.tokens is None else {"completion_tokens": meant.tokens, "prompt_tokens": meant.prompt}
    rollout = {"text": "text", "finish_reason": meant.reason, "usage": usage}
    return {"id": meant.identity, "metadata": {"rollout_results": meant.each(rollout)}}


def lm_eval_samples(meant: Meant) -> JSON:
    return {"doc_id": meant.identity, "resps": [meant.each("text")], "filtered_resps": ["4"], "filter": "none"}


def evalscope_predictions(meant: Meant) -> JSON:
    if meant.failed:
        return {"index": meant.identity, "model_output": {"error": "no", "choices": []}}
    usage = None if meant.total is None else {"output_tokens": meant.total, "input_tokens": meant.prompt}
    choices = meant.each({"message": {"content": "text"}, "stop_reason": "max_tokens" if meant.cut else "stop"})
    return {"index": meant.identity, "model_output": {"choices": choices, "usage": usage, "time": meant.seconds}}


def aiperf_records(meant: Meant) -> JSON:
    lengths = {"output_sequence_length": {"value": meant.tokens}, "input_sequence_length": {"value": meant.prompt}}
    metrics = {**lengths, "request_latency": {"value": meant.seconds * 1000, "unit": "ms"}}
    metadata = {"x_request_id": f"r{meant.identity}", "request_start_ns": 1, "was_cancelled": meant.failed}
    return {"metadata": metadata, "metrics": {} if meant.failed else metrics}


def langfuse_observations(meant: Meant) -> JSON:
    record = {"id": meant.identity, "type": "GENERATION", "startTime": "t", "latency": meant.seconds}
    usage = {"output": meant.tokens, "input": meant.prompt}
    return {**record, "level": "ERROR" if meant.failed else "DEFAULT", "usageDetails": usage}


def eagle_fastchat(meant: Meant) -> JSON:
    choice: JSON = {"turns": meant.each("text"), "wall_time": [meant.seconds]}
    if meant.tokens is not None:
        choice["new_tokens"] = meant.each(meant.tokens)
    return {"question_id": meant.identity, "model_id": "m", "choices": [choice]}


def opencompass_tmp(meant: Meant) -> JSON:
    record: JSON = {"idx": str(meant.identity), "origin_prompt": "p", "prediction": "text"}
    return record if meant.tokens is None else {**record, "res_length": meant.tokens, "all_input_length": meant.prompt}


def verl_rollout(_meant: Meant) -> JSON:
    return {"input": "p", "output": "text", "gts": "4", "score": 1.0, "step": 10}


def code_samples(meant: Meant) -> JSON:
    return {"task_id": meant.identity, "solution": "text"}


def sharegpt(meant: Meant) -> JSON:
    said = turns(meant, "from", "value", ("human", "gpt"))
    return {"id": meant.identity, "conversations": said, **({"error": "no"} if meant.failed else {})}


def multi_turn_usages(meant: Meant) -> JSON:
    if meant.failed:
        return {"task_id": meant.identity, "usages": [], "error": "no"}
    usage = {"completion_tokens": meant.tokens, "prompt_tokens": meant.prompt}
    return {"task_id": meant.identity, "usages": meant.each(usage), "finish_reasons": meant.each(meant.reason)}


def skythought_results(meant: Meant) -> JSON:
    usage = {"completion_tokens": meant.tokens, "prompt_tokens": meant.prompt}
    usages = None if meant.tokens is None else meant.each(usage)
    return {"p": {"_index": meant.identity, "responses": meant.each({"content": "text"}), "token_usages": usages}}


def livecodebench(meant: Meant) -> JSON:
    return {"question_id": meant.identity, "output_list": meant.each("text")}


def llmperf(meant: Meant) -> JSON:
    if meant.failed:
        return {"error_code": 500, "error_msg": "no", "end_to_end_latency_s": 1.0, "number_output_tokens": 0}
    lengths = {"number_output_tokens": meant.tokens, "number_input_tokens": meant.prompt}
    return {"error_code": None, "error_msg": "", "end_to_end_latency_s": meant.seconds, **lengths}


def guidellm(meant: Meant) -> JSON:
    lengths = {"output_metrics": {"text_tokens": meant.tokens}, "input_metrics": {"text_tokens": meant.prompt}}
    info = {"status": "errored" if meant.failed else "completed"}
    request = {"request_id": f"r{meant.identity}", "info": info, "output": "text", "request_latency": meant.seconds}
    requests = {"successful": [], "errored": [], "errored" if meant.failed else "successful": [{**request, **lengths}]}
    return {"benchmarks": [{"requests": requests}]}


def nemotron_sft(meant: Meant) -> JSON:
    return {"input": "q", "output": None if meant.failed else "text", "generator": "m"}


def generic(meant: Meant) -> JSON:
    if meant.failed:
        return {"idx": meant.identity, "success": False}
    reasons = meant.each("max_tokens" if meant.cut else "eos")
    record = {
        "idx": meant.identity,
        "responses": meant.each("text"),
        "finish_reason": reasons,
        "elapsed": meant.seconds,
    }
    counts = {"completion_tokens": -1 if meant.total is None else str(meant.total), "cached_tokens": None}
    return {**record, **counts, **({} if meant.usage is None else {"usage": meant.usage})}


_BARE: Any = {"tokens": False, "prompt": False, "reasons": False}
_SUMMARY: Any = {"always_counted": True, "named": False, "summary": True, "reasons": False}
_SGLANG: Any = {"many": False, "always_counted": True, "cached": True, "latency": True, "loses_tokens": True}

FORMATS: dict[str, Format] = {
    "openai-batch": Format(openai_batch, cached=True),
    "openai-stream": Format(openai_stream, many=False, cached=True, lines=3, stream=True),
    "sglang-stream": Format(
        sglang_stream, many=False, cached=True, always_counted=True, latency=True, lines=2, stream=True
    ),
    "openai-chat": Format(openai_chat, cached=True),
    "litellm-log": Format(litellm_log, latency=True, prompt_without_tokens=True, loses_tokens=True),
    "openai-wrapped": Format(openai_wrapped, cached=True, latency=True),
    "sglang-metrics-export": Format(sglang_metrics_export, **_SGLANG),
    "sglang-request-log": Format(sglang_request_log, **_SGLANG),
    "sglang-generate": Format(sglang_generate, **_SGLANG),
    "bench-serving": Format(bench_serving, **_SUMMARY),
    "bench-offline-throughput": Format(bench_offline_throughput, **_SUMMARY, fails=False),
    "bench-one-batch-server": Format(bench_one_batch_server, **_SUMMARY, fails=False, prompt_each=True),
    "speculators-regen": Format(speculators_regen, many=False),
    "modelopt-generate": Format(modelopt_generate, **_BARE),
    "specforge-regen": Format(specforge_regen, **_BARE),
    "nemo-skills": Format(nemo_skills, many=False, latency=True),
    "open-r1": Format(open_r1, prompt_each=True, fails_each=True),
    "curator": Format(curator, many=False, latency=True, loses_tokens=True),
    "distilabel": Format(distilabel, reasons=False, named=False, prompt_without_tokens=True, prompt_each=True),
    "datatrove-inference": Format(datatrove_inference, prompt_each=True),
    "lm-eval-samples": Format(lm_eval_samples, **_BARE, fails=False, once=True),
    "evalscope-predictions": Format(evalscope_predictions, latency=True),
    "aiperf-records": Format(aiperf_records, many=False, reasons=False, latency=True, prompt_without_tokens=True),
    "langfuse-observations": Format(
        langfuse_observations,
        many=False,
        reasons=False,
        latency=True,
        prompt_without_tokens=True,
        loses_tokens=True,
    ),
    "eagle-fastchat": Format(eagle_fastchat, prompt=False, reasons=False, latency=True, fails=False),
    "opencompass-tmp": Format(opencompass_tmp, many=False, reasons=False, fails=False),
    "verl-rollout": Format(verl_rollout, many=False, **_BARE, named=False, fails=False),
    "code-samples": Format(code_samples, many=False, **_BARE, named=False, fails=False),
    "sharegpt": Format(sharegpt, **_BARE),
    "multi-turn-usages": Format(multi_turn_usages, prompt_without_tokens=True, prompt_each=True),
    "skythought-results": Format(skythought_results, reasons=False, fails=False, prompt_each=True),
    "livecodebench": Format(livecodebench, **_BARE, fails=False),
    "llmperf": Format(llmperf, many=False, reasons=False, latency=True, named=False, prompt_without_tokens=True),
    "guidellm": Format(
        guidellm, many=False, reasons=False, latency=True, prompt_without_tokens=True, loses_tokens=True
    ),
    "nemotron-sft": Format(nemotron_sft, many=False, **_BARE, named=False),
    "generic": Format(generic, cached=True, latency=True),
}

"""Runs a task file in Inspect AI with a scripted model: inspect_ai_eval.py FILE FORMAT FOLDER MOVES [MODEL]

MOVES is JSON, [[tool, input], …]: the model makes the next one at each turn. MODEL is the URL of an OpenAI-compatible
API to use instead. Prints the log's path and its samples.
"""

import json
import sys

import tiktoken
from inspect_ai import eval
from inspect_ai.model import GenerateConfig, ModelOutput, get_model

file, log_format, folder, moves = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
model_url = "".join(sys.argv[5:6])


class Words:
    """Inspect AI counts tokens for each model, and tiktoken would download its tables."""

    def encode(self, text, **_):
        return text.split()


tiktoken.get_encoding = lambda name: Words()


def play(messages, tools, tool_choice, config):
    turn = sum(message.role == "assistant" for message in messages)
    if turn >= len(moves):
        return ModelOutput.from_content("mockllm/model", "That is all.")
    return ModelOutput.for_tool_call("mockllm/model", *moves[turn])


def model():
    if not model_url:
        return get_model("mockllm/model", custom_outputs=play)
    # Without a limit, it tries again for ever.
    config = GenerateConfig(max_retries=0)
    return get_model("openai-api/scripted/model", base_url=model_url, api_key="none", config=config)


[log] = eval(
    file,
    model=model(),
    max_samples=1 if model_url else None,
    log_format=log_format,
    log_dir=folder,
    display="none",
)
samples = [
    {
        "id": sample.id,
        "seed": sample.metadata["seed"],
        "scores": {name: str(score.value) for name, score in (sample.scores or {}).items()},
        "explanation": [score.explanation for score in (sample.scores or {}).values()],
        "calls": sum(message.role == "tool" for message in sample.messages),
        "error": sample.error.message if sample.error else None,
    }
    for sample in log.samples
]
[scores] = log.results.scores if log.results else [None]
print(
    json.dumps(
        {
            "status": log.status,
            "log": log.location,
            "samples": samples,
            "scored": scores and scores.scored_samples,
            "unscored": scores and scores.unscored_samples,
        }
    )
)

"""Runs a task file in Inspect AI with a scripted model: inspect_ai_eval.py FILE FORMAT FOLDER MOVES

MOVES is JSON, [[tool, input], …]: the model makes the next one at each turn. Prints the log's path and its samples.
"""

import json
import sys

import tiktoken
from inspect_ai import eval
from inspect_ai.model import ModelOutput, get_model

file, log_format, folder, moves = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])


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


[log] = eval(
    file,
    model=get_model("mockllm/model", custom_outputs=play),
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

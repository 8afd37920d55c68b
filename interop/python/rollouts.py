"""Rollouts of random actions. Each is printed, so that the same one can be played in process and compared."""

import json
import random

games = {"frozen-lake": 12, "taxi": 15, "cliff-walking": 15, "blackjack": 6, "catch": 14}

# What breaks in the middle of an episode, by its calls.
breaks = {
    "nothing": ["number_count"] * 5,
    "a tool that refuses": ["number_count", "error_throw", "number_count"],
    "the judge": ["number_count", "judge_kill", "number_count"],
    "the environment": ["number_count", "environment_kill"],
    "the time limit": ["number_count", "time_waste"],
}
masked_breaks = ("the judge", "the environment", "the time limit")


def sample(schema, source):
    """An argument that fits the schema."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return source.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {key: sample(properties[key], source) for key in schema.get("required", properties)}
    if kind == "integer":
        return source.randint(schema.get("minimum", 0), schema.get("maximum", 9))
    if kind == "boolean":
        return source.random() < 0.5
    raise ValueError(f"no sample of {schema}")


def actions(tools, count, seed):
    """Calls of random tools: pairs of a name and its input."""
    source = random.Random(seed)
    for _ in range(count):
        name, schema = source.choice(sorted(tools.items(), key=lambda tool: tool[0]))
        yield name, sample(schema, source)


def tell(environment, index, played, *, reward, finished, masked, split="train"):
    rollout = {"environment": environment, "split": split, "index": index, "actions": played}
    print(json.dumps({"rollout": rollout | {"reward": reward, "finished": finished, "masked": masked}}), flush=True)

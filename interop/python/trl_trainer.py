"""TRL trains against our server on a CPU, with a tiny random model."""

import math
import random

import torch
from checks import check, env, episodes, equal, run, until
from datasets import Dataset
from openenv.core import GenericEnvClient
from tiny_model import call, train

moves = ["LEFT", "DOWN", "RIGHT", "UP"]
made, lakes = [], {}


class Lake:
    """Follows TRL's documentation: one client per rollout, created once and reset for every batch."""

    def __init__(self):
        self._client = GenericEnvClient(base_url=env("frozen-lake")).sync()
        self._client.connect()
        self._resets, self._steps, self._faults = 0, 0, []
        made.append(self)

    def reset(self, seed=None, **_):
        result = self._client.reset(seed=seed)
        self._resets, self._played, self._reward, self._is_over = self._resets + 1, 0, 0.0, False
        if lakes.setdefault(seed, result.observation["grid"]) != result.observation["grid"]:
            self._faults.append(f"another lake for seed {seed}")
        return result.observation["grid"]

    def move(self, action: str) -> str:
        """
        Move one step on the frozen lake.

        Args:
            action: LEFT, DOWN, RIGHT or UP

        Returns:
            What the lake looks like now.
        """
        if self._is_over:
            raise ValueError("The game is over.")
        result = self._client.step({"tool_name": "lake_move", "arguments": {"action": action}})
        self._steps, self._played = self._steps + 1, self._played + 1
        self._is_over, self._reward = result.done, self._reward + result.reward
        if self._client.state()["step_count"] != self._played:  # TRL reports a tool's exceptions only to the model
            self._faults.append("steps of others in this episode")
        return str(result.observation["result"]["data"]["position"])

    def get_reward(self) -> float:
        return self._reward if self._is_over else -0.1


class Echo:
    def __init__(self):
        self._client = GenericEnvClient(base_url=env("echo-typed")).sync()
        self._client.connect()
        self._steps, self._reward = 0, 0.0
        made.append(self)

    def reset(self, **_):
        self._reward = 0.0
        return self._client.reset().observation["echoed_message"]

    def echo(self, message: str) -> str:
        """
        Say something.

        Args:
            message: what to say

        Returns:
            What came back.
        """
        result = self._client.step({"message": message})
        self._steps, self._reward = self._steps + 1, self._reward + result.reward
        return result.observation["echoed_message"]

    def get_reward(self) -> float:
        return self._reward


def leave():
    for each in made:
        each._client.close()
    made.clear()
    for name in ["frozen-lake", "echo-typed", "catch"]:
        until(lambda name=name: not episodes(name), what=f"the end of the episodes of {name}")


@check
def environment_factory():
    """GRPOTrainer(environment_factory): two steps on the frozen lake, with pooled sockets"""
    ask = [{"role": "user", "content": "Cross the lake.\n"}]
    dataset = Dataset.from_list([{"prompt": ask, "seed": seed} for seed in range(8)])
    log, moved = train([call("move", action=action) for action in moves], dataset, environment_factory=Lake)
    equal(len(log), 2, "training steps")
    assert moved and all(math.isfinite(line["loss"]) for line in log), "weights moved, losses are numbers"
    equal(len(made), 16, "environments made, for 32 rollouts")
    equal({each._resets for each in made}, {2}, "resets of each")
    equal([fault for each in made for fault in each._faults], [])
    steps = sum(each._steps for each in made)
    assert steps > 40, f"only {steps} steps were played"
    assert log[-1]["tools/failure_frequency"] < 0.9, log[-1]
    leave()


@check
def many_environments():
    """GRPOTrainer with several environments in one run: frozen-lake and echo-typed"""
    ask = [{"role": "user", "content": "Play.\n"}]
    table = [{"prompt": ask, "environment": name, "seed": at} for at in range(4) for name in ("lake", "echo")]
    words = [call("move", action=action) for action in moves] + [call("echo", message="hello there")]
    log, moved = train(words, Dataset.from_list(table), environment_factory={"lake": Lake, "echo": Echo})
    assert moved and len(log) == 2
    assert sum(each._steps for each in made if isinstance(each, Echo)) > 5
    leave()


@check
def rollout_func():
    """GRPOTrainer(rollout_func): two steps on catch, 16 typed episodes each, over pooled sockets"""
    pool = []

    def rollout(prompts, trainer):
        while len(pool) < len(prompts):
            client = GenericEnvClient(base_url=env("catch")).sync()
            client.connect()
            pool.append(client)
        fast = trainer.processing_class
        actions = fast.convert_tokens_to_ids(["<left>", "<stay>", "<right>"])
        asked = [fast.apply_chat_template(p, add_generation_prompt=True, tokenize=True, return_dict=False) for p in prompts]
        said = [[] for _ in prompts]
        logprobs = [[] for _ in prompts]
        results = [client.reset(seed=random.randrange(1000)) for client in pool[: len(prompts)]]
        while not all(result.done for result in results):
            with torch.no_grad():
                logits = trainer.model(torch.tensor([a + b for a, b in zip(asked, said, strict=True)])).logits
            spread = torch.distributions.Categorical(logits=logits[:, -1, actions])
            choice = spread.sample()
            chances = spread.log_prob(choice).tolist()
            for at, client in enumerate(pool[: len(prompts)]):
                action = int(choice[at])
                said[at].append(actions[action])
                logprobs[at].append(chances[at])
                results[at] = client.step({"action_id": action, "game_name": "catch", "game_params": {}})
        return {
            "prompt_ids": asked,
            "completion_ids": said,
            "logprobs": logprobs,
            "env_reward": [result.reward for result in results],
        }

    seen = []

    def reward(completions, env_reward, **_):
        seen.extend(env_reward)
        return env_reward

    ask = [{"role": "user", "content": "Catch."}]
    words = ["<left>", "<stay>", "<right>"]
    dataset = Dataset.from_list([{"prompt": ask}] * 16)
    log, moved = train(words, dataset, [reward], rollout_func=rollout)
    assert moved and len(log) == 2
    equal((len(seen), set(seen) <= {1, -1}), (32, True), "episodes, each won or lost")
    made.extend(type("Pooled", (), {"_client": client})() for client in pool)
    leave()


run()

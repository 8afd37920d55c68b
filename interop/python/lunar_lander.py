"""Plays gymnasium's LunarLander-v3 and prints a line per seed: what it played, and a digest of all that it saw.

Usage: lunar_lander.py SEEDS STEPS
"""

import hashlib
import json
import random
import struct
import sys
import time

import gymnasium
import numpy
from gymnasium.envs.box2d.lunar_lander import heuristic

CONFIGS = [
    {},
    {"continuous": True},
    {"enable_wind": True},
    {"continuous": True, "enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0},
    {"gravity": -4.0},
]


def choose(env, observation, dice):
    """Mostly gymnasium's own heuristic, which lands; else something random. Some seeds are random only."""
    if dice.random() < dice.skill:
        action = heuristic(env.unwrapped, observation)
        return numpy.asarray(action, dtype=numpy.float32) if env.unwrapped.continuous else int(action)
    if env.unwrapped.continuous:
        return numpy.asarray([dice.uniform(-1.2, 1.2), dice.uniform(-1.2, 1.2)], dtype=numpy.float32)
    return dice.randrange(4)


def play(seed, steps):
    config = CONFIGS[seed % len(CONFIGS)]
    dice = random.Random(seed)
    dice.skill = (0.0, 0.9, 1.0)[seed % 3]
    env = gymnasium.make("LunarLander-v3", **config)
    actions = []
    digest = hashlib.sha256()
    seconds = 0.0
    observation, _ = env.reset(seed=seed)
    digest.update(observation.astype(">f4").tobytes())
    for _ in range(steps):
        action = choose(env, observation, dice)
        actions.append(action if isinstance(action, int) else action.astype(">f4").tobytes().hex())
        start = time.process_time()
        observation, reward, terminated, truncated, _ = env.step(action)
        seconds += time.process_time() - start
        digest.update(observation.astype(">f4").tobytes())
        digest.update(struct.pack(">d??", reward, terminated, truncated))
        if terminated or truncated:
            observation, _ = env.reset()
            digest.update(observation.astype(">f4").tobytes())
    env.close()
    return {"seed": seed, "config": config, "actions": actions, "digest": digest.hexdigest(), "seconds": seconds}


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        print(json.dumps(play(number, int(sys.argv[2]))), flush=True)

"""Writes data/gymnasium.golden.json: episodes played with gymnasium itself; the tests need no Python.

python3 -m venv .cache/numpy-venv && .cache/numpy-venv/bin/pip install numpy==2.4.6 gymnasium==1.4.0
.cache/numpy-venv/bin/python test/gallery/make-golden.py

A config with a gym_id is played with gymnasium.make(gym_id, ...), so that its defaults are gymnasium's. Taxi-v3 is gone
since gymnasium 1.3: with 1.2.0 installed, this writes only data/taxi-v3.golden.json.

Of each episode the file keeps its actions (by number), a number of each observation and each reward, so that a
difference can be read; and a digest of all there is to see, each step a line of JSON, so that nothing can differ.
"""

import hashlib
import json
import pathlib
import random

import gymnasium
import numpy as np
from gymnasium.envs.toy_text.blackjack import BlackjackEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv, generate_random_map
from gymnasium.envs.toy_text.taxi import TaxiEnv
from gymnasium.wrappers import TimeLimit

SEEDS = [*range(26), 123456789, 2**31 - 1, 2**32 + 1, 2**53 - 1]
IS_OLD = gymnasium.__version__.startswith("1.2.")


LAKES = [
    {"is_slippery": False},
    {"map_name": "8x8"},
    {"success_rate": 0.75},
    {"reward_schedule": [10, -5, -0.1], "success_rate": 1.0},
    {"desc": ["SFFFG"], "is_slippery": False},
    {"desc": ["SFHF", "FSFG", "HFFS"], "success_rate": 0.6, "max_steps": 9},
]


def made(config):
    rules = {key: value for key, value in config.items() if key not in ("gym_id", "max_steps")}
    drawn = {} if config["gym_id"].startswith("Blackjack") else {"render_mode": "ansi"}
    return gymnasium.make(config["gym_id"], **rules, **drawn)


class Lake:
    seeds, most_steps, sense = SEEDS, 50, 0.6  # sense: how many of its actions are no mere chance
    moves = ["LEFT", "DOWN", "RIGHT", "UP"]
    waiting = [0]  # seldom leaves the start
    configs = [{"map_name": name, "is_slippery": slippery} for name in ("4x4", "8x8") for slippery in (False, True)]
    configs += [{"map_name": "4x4", "is_slippery": True, "max_steps": 7}]
    configs += [{"map_name": "8x8", "success_rate": 0.9, "reward_schedule": [5, -1, -0.25]}]
    configs += [{"gym_id": "FrozenLake-v1"}, {"gym_id": "FrozenLake8x8-v1"}]
    configs += [{"gym_id": "FrozenLake-v1", **more} for more in LAKES]

    def make(self, config, seed):
        if "gym_id" in config:
            return made(config)
        lake = generate_random_map(size=int(config["map_name"][0]), p=0.8, seed=seed)
        rules = {key: config[key] for key in ("is_slippery", "success_rate", "reward_schedule") if key in config}
        return FrozenLakeEnv(desc=lake, **rules, render_mode="ansi")

    def limit(self, config):
        id = "FrozenLake8x8-v1" if config.get("map_name") == "8x8" else "FrozenLake-v1"
        return gymnasium.spec(config.get("gym_id", id)).max_episode_steps

    def number(self, observation):
        return observation

    def show(self, observation, env):
        return {"position": observation, "grid": env.render()}

    def hint(self, observation, player):
        return player.choice([1, 2])


class Cliff:
    seeds, most_steps, sense = SEEDS, 70, 0.8
    moves = ["UP", "RIGHT", "DOWN", "LEFT"]
    waiting = [3]
    configs = [{}, {"is_slippery": False}, {"is_slippery": True}, {"is_slippery": False, "max_steps": 13}]

    def make(self, config, seed):
        return made({"gym_id": "CliffWalking-v1", **config})

    def limit(self, config):
        return gymnasium.spec("CliffWalking-v1").max_episode_steps

    def number(self, observation):
        return observation

    def show(self, observation, env):
        return {"position": observation, "grid": env.render()}

    def hint(self, observation, player):
        row, column = divmod(observation, 12)
        return 2 if column == 11 else 0 if row > player.choice([0, 2]) else 1


class Blackjack:
    most_steps, sense = 20, 0.8
    moves = ["STICK", "HIT"]
    waiting = [1]
    configs = [{"natural": natural, "sab": sab} for natural in (False, True) for sab in (False, True)]
    configs += [{"natural": False, "sab": False, "max_steps": 2}]
    configs += [{}, {"natural": True}]

    def __init__(self):
        self.seeds = SEEDS + telling_deals()

    def make(self, config, seed):
        return made({"gym_id": "Blackjack-v1", **config})

    def limit(self, config):
        return gymnasium.spec("Blackjack-v1").max_episode_steps

    def number(self, observation):
        return observation[0]

    def show(self, observation, env):
        return dict(zip(["player_sum", "dealer_card", "usable_ace"], observation))

    def hint(self, observation, player):
        return int(observation[0] < 17)


class Taxi:
    seeds, most_steps, sense = SEEDS, 50, 0.6
    moves = ["SOUTH", "NORTH", "EAST", "WEST", "PICKUP", "DROPOFF"]
    waiting = [0, 1, 2, 3]
    configs = [{}, {"is_rainy": True}, {"fickle_passenger": True}, {"is_rainy": True, "fickle_passenger": True}]
    if IS_OLD:
        configs = [{"gym_id": "Taxi-v3", **config} for config in configs]
    else:
        configs += [{"gym_id": "Taxi-v4", "is_rainy": True, "rainy_probability": 0.45}]
        configs += [{"is_rainy": True, "fickle_passenger": True, "rainy_probability": 1, "fickle_probability": 0.9}]

    def __init__(self):
        self.ways = shortest_ways(TaxiEnv().P)

    def make(self, config, seed):
        return made({"gym_id": "Taxi-v4", **config})

    def limit(self, config):
        return gymnasium.spec(config.get("gym_id", "Taxi-v4")).max_episode_steps

    def number(self, observation):
        return observation

    def show(self, observation, env):
        row, column, passenger, destination = env.unwrapped.decode(observation)
        names, stands = ["Red", "Green", "Yellow", "Blue"], [(0, 0), (0, 4), (4, 0), (4, 3)]
        taxi = "T" if passenger == 4 else "t"
        goal = f"{'rgyb'[destination]} ({names[destination]})"
        layout = [[letter.decode() for letter in line] for line in env.unwrapped.desc]
        layout[stands[destination][0] + 1][stands[destination][1] * 2 + 1] = "rgyb"[destination]
        layout[row + 1][column * 2 + 1] = taxi
        if passenger == 4:
            told = f"Passenger in taxi, Destination: {goal}, must dropoff passenger at {goal}"
        else:
            told = f"Passenger at {'RGYB'[passenger]} ({names[passenger]}), Destination: {goal}, must pickup passenger"
        return {
            "state": observation,
            "grid_layout": "\n".join("".join(line) for line in layout),
            "state_description": f"Taxi at {taxi} ({row}, {column}), {told}",
            "decoded_state": {"taxi_row": row, "taxi_col": column, "passenger_location": passenger, "destination": destination},
        }

    def hint(self, observation, player):
        return self.ways[observation]


def telling_deals():
    """Seeds, from 100 up, whose first cards are worth something else under other rules: twelve of each kind."""

    def stick(seed, **rules):
        env = BlackjackEnv(**rules)
        env.reset(seed=seed)
        return env.step(0)[1]

    seeds = range(100, 5000)
    naturals = [seed for seed in seeds if stick(seed, natural=True) == 1.5]
    autowins = [seed for seed in seeds if stick(seed, sab=True) != stick(seed)]
    return sorted(naturals[:12] + autowins[:12])


def shortest_ways(table):
    """The best action in each state, found from the end backwards."""
    ways, found = {}, {}
    for state, actions in table.items():
        for action, [(_, _, _, terminated)] in actions.items():
            if terminated:
                ways[state] = action
    while ways != found:
        found = dict(ways)
        for state, actions in table.items():
            for action, [(_, after, _, _)] in actions.items():
                if state not in ways and after in found:
                    ways[state] = action
    return ways


def play(game, config, seed):
    env = game.make(config, seed)
    limit = config.get("max_steps", game.limit(config))
    if limit:
        env = TimeLimit(env, limit)
    player = random.Random(seed)
    is_waiting = seed % 10 == 9  # such an episode goes on to its limit
    observation, info = env.reset(seed=seed)
    actions, numbers, rewards = [], [game.number(observation)], []
    lines = [line(game, env, game.show(observation, env), info)]
    terminated = truncated = False
    most_steps = limit or game.most_steps if is_waiting else game.most_steps
    while not (terminated or truncated) and len(actions) < most_steps:
        if is_waiting:
            action = player.choice(game.waiting)
        else:
            action = game.hint(observation, player) if player.random() < game.sense else player.randrange(len(game.moves))
        observation, reward, terminated, truncated, info = env.step(action)
        shown = {**game.show(observation, env), "action": game.moves[action]}
        lines.append(line(game, env, shown, info, reward, terminated, truncated))
        actions.append(action)
        numbers.append(game.number(observation))
        rewards.append(plain(reward))
    return {
        "seed": seed,
        "actions": "".join(map(str, actions)),
        "numbers": numbers,
        "rewards": rewards,
        "terminated": bool(terminated),
        "truncated": bool(truncated),
        "digest": hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
    }


def line(game, env, shown, info, *outcome):
    picture = [] if isinstance(game, Blackjack) else [env.render()]
    return json.dumps(plain([shown, info, *picture, *outcome]), separators=(",", ":"), ensure_ascii=False)


def plain(value):
    """As JavaScript would write it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


games = {"frozen-lake": Lake(), "cliff-walking": Cliff(), "blackjack": Blackjack(), "taxi": Taxi()}
if IS_OLD:
    games = {"taxi": games["taxi"]}
groups = [
    {"environment": name, "config": config, "episodes": [play(game, config, seed) for seed in game.seeds]}
    for name, game in games.items()
    for config in game.configs
]
lines = []
for group in groups:
    episodes = ",\n".join(json.dumps(episode, separators=(",", ":")) for episode in group["episodes"])
    lines.append(f'{{"environment":"{group["environment"]}","config":{json.dumps(group["config"])},"episodes":[\n{episodes}]}}')
target = pathlib.Path(__file__).parent / "data" / ("taxi-v3.golden.json" if IS_OLD else "gymnasium.golden.json")
target.write_text("[\n" + ",\n".join(lines) + "\n]\n")
for group in groups:
    ends = [(each["terminated"], each["truncated"]) for each in group["episodes"]]
    counts = f"{sum(t for t, _ in ends)} terminated, {sum(t for _, t in ends)} truncated, {sum(all(e) for e in ends)} both"
    print(group["environment"], group["config"], sum(len(each["actions"]) for each in group["episodes"]), "steps,", counts)
print(target.stat().st_size, "bytes with gymnasium", gymnasium.__version__, "and numpy", np.__version__)

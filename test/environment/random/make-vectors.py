"""Writes data/numpy.golden.json with real numpy and gymnasium; the tests themselves need no Python.

python3 -m venv .cache/numpy-venv && .cache/numpy-venv/bin/pip install numpy==2.4.6 gymnasium==1.2.0
.cache/numpy-venv/bin/python test/environment/random/make-vectors.py
"""

import hashlib
import json
import pathlib
import random
import struct

import gymnasium
import numpy as np
from gymnasium.envs.toy_text.blackjack import BlackjackEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv, generate_random_map
from gymnasium.envs.toy_text.taxi import TaxiEnv
from gymnasium.envs.toy_text.utils import categorical_sample

SEEDS = list(range(120)) + [12345, 65535, 2**31 - 1, 2**31]
SEEDS += [2**k + d for k in (32, 53, 64, 96, 128, 160, 256, 1000) for d in (-1, 0, 1)]
SEEDS += [random.Random(k).getrandbits(8 * k) for k in range(1, 200 - len(SEEDS) + 1)]

WIDTHS = [1, 2, 3, 5, 6, 7, 10, 13, 255, 256, 257, 2**16, 10**6, 2**31 - 1, 2**31, 2**31 + 1, 3 * 2**30]
WIDTHS += [2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 3 * 2**31, 10**15, 3 * 2**51, 2**53 - 1, 2**53]

CALLS = (
    [["random"], ["nextUint32"], ["nextUint64"], ["standardNormal"]]
    + [["normal", 2.5, 0.1], ["normal", -1e6, 0], ["uniform", -3.5, 12.25], ["uniform", 0, 1e-9], ["uniform", 5, 5]]
    + [["integers", 0, width, False] for width in WIDTHS]
    + [["integers", -7, 7, True], ["integers", 4, 4, True], ["integers", -(2**52), 2**52, False]]
    + [["integers", -(2**31), 2**31 - 1, True], ["integers", 0, 2**32, True]]
    + [["bigIntegers", str(low), str(high), endpoint] for low, high, endpoint in (
        (0, 6, False), (9, 9, True), (0, 2**32, False), (0, 2**32, True), (-(2**62), 2**62 + 12345, False),
        (-(2**63), 2**63, False), (-(2**63), 2**63 - 1, True), (0, 2**63 + 1, False), (0, 3 * 2**62, False),
        (1, 2**64, False), (0, 2**64, False), (0, 2**64 - 1, True),
    )]
    + [["choice", 1, {}], ["choice", 13, {}], ["choice", 1, {"size": 3}], ["choice", 52, {"size": 5}], ["choice", 2**40, {}]]
    + [["choice", 3, {"p": [1 / 3] * 3}], ["choice", 2, {"p": [0.8, 1 - 0.8], "size": 16}]]
    + [["choice", 10, {"p": [0.1] * 10}], ["choice", 5, {"p": [0, 0.25, 0.5, 0, 0.25], "size": 6}]]
    + [["choice", 7, {"p": [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.015625], "size": 4}]]
    + [["choice", 300, {"p": [1 / 300] * 300}]]
    + [["choice", 50, {"replace": False}], ["choice", 1, {"replace": False, "size": 1}], ["choice", 9, {"replace": False, "size": 0}]]
    + [["choice", 10, {"replace": False, "size": 3}], ["choice", 10, {"replace": False, "size": 10}]]
    + [["choice", 100, {"replace": False, "size": 12, "shuffle": False}], ["choice", 12_000, {"replace": False, "size": 5}]]
    + [["choice", 2**33, {"replace": False, "size": 3}]]
    + [["choice", 6, {"p": [0.7, 0.1, 0.05, 0.05, 0.05, 0.05], "replace": False, "size": 4}]]
    + [["choice", 4, {"p": [0, 0.999, 0.0005, 0.0005], "replace": False, "size": 3}], ["choice", 3, {"p": [0.2, 0.3, 0.5], "replace": False}]]
    + [["shuffle", 0], ["shuffle", 1], ["shuffle", 2], ["shuffle", 9], ["shuffle", 16], ["permutation", 11], ["permutation", 17]]
    + [["categorical", [1.0]], ["categorical", [1 / 3] * 3], ["categorical", [0.1, 0.2, 0.3]], ["categorical", [0, 0, 1]]]
)

# Too long to store: the test compares a digest of the results.
LONG = [
    ["repeat", 100_000, ["random"]],
    ["repeat", 100_000, ["nextUint32"]],
    ["repeat", 100_000, ["standardNormal"]],
    ["repeat", 100_000, ["integers", 0, 3 * 2**30, False]],
    ["repeat", 50_000, ["bigIntegers", "0", str(3 * 2**62), False]],
    ["choice", 10_000, {"replace": False, "size": 10_000}],
    ["choice", 10_001, {"replace": False, "size": 10_001}],
    ["choice", 12_000, {"replace": False, "size": 240}],
    ["choice", 12_000, {"replace": False, "size": 241}],
    ["choice", 12_000, {"replace": False, "size": 600, "shuffle": False}],
    ["choice", 12_000, {"replace": False, "size": 601, "shuffle": False}],
    ["choice", 1000, {"replace": False, "size": 999, "p": [0.001] * 1000}],
    ["choice", 7, {"size": 20_000, "p": [1 / 7] * 7}],
    ["shuffle", 70_000],
    ["permutation", 4097],
]


def call(rng, name, *arguments):
    if name == "nextUint32":
        interface = rng.bit_generator.ctypes
        return interface.next_uint32(interface.state)
    if name == "nextUint64":
        return str(rng.bit_generator.random_raw())
    if name == "standardNormal":
        return rng.standard_normal()
    if name == "integers":
        low, high, endpoint = arguments
        return int(rng.integers(low, high, endpoint=endpoint))
    if name == "bigIntegers":
        low, high, endpoint = int(arguments[0]), int(arguments[1]), arguments[2]
        dtype = np.uint64 if high > 2**63 else np.int64
        return str(rng.integers(low, high, endpoint=endpoint, dtype=dtype))
    if name == "choice":
        return plain(rng.choice(arguments[0], **arguments[1]))
    if name == "shuffle":
        items = list(range(arguments[0]))
        rng.shuffle(items)
        return items
    if name == "categorical":
        return int(categorical_sample(arguments[0], rng))
    if name == "repeat":
        count, repeated = arguments
        return [call(rng, *repeated) for _ in range(count)]
    return plain(getattr(rng, name)(*arguments))


def plain(value):
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def end_state(rng):
    state = rng.bit_generator.state
    return {
        "state": f"{state['state']['state']:032x}",
        "increment": f"{state['state']['inc']:032x}",
        "half": state["uinteger"] if state["has_uint32"] else None,
    }


def run(seed):
    rng = np.random.default_rng(seed)
    order = random.Random(seed).choices(range(len(CALLS)), k=40)
    return {"seed": str(seed), "calls": order, "results": [call(rng, *CALLS[index]) for index in order], **end_state(rng)}


def long_run(seed, arguments):
    rng = np.random.default_rng(seed)
    rng.integers(10)  # leaves a half behind
    results = call(rng, *arguments)
    text = json.dumps([struct.pack(">d", value).hex() if isinstance(value, float) else value for value in results], separators=(",", ":"))
    return {"seed": str(seed), "call": arguments, "digest": hashlib.sha256(text.encode()).hexdigest(), **end_state(rng)}


def slippery_walk(seed):
    env = FrozenLakeEnv(desc=["SFFF", "FFFF", "FFFF", "FFFG"], is_slippery=True)
    env.reset(seed=seed)
    return [int(env.step((3 * turn + seed) % 4)[0]) for turn in range(30)]


def blackjack(seed):
    env = BlackjackEnv()
    env.reset(seed=seed)
    while env.step(1)[2] is False:
        pass
    return {"dealer": env.dealer, "player": env.player, "top": [str(env.dealer_top_card_suit), str(env.dealer_top_card_value_str)]}


vectors = {
    "numpy": np.__version__,
    "gymnasium": gymnasium.__version__,
    "calls": CALLS,
    "runs": [run(seed) for seed in SEEDS],
    "long": [long_run(1000 + index, arguments) for index, arguments in enumerate(LONG)],
    "maps": [
        {"seed": seed, "size": size, "p": p, "map": generate_random_map(size, p, seed)}
        for seed, (size, p) in enumerate([(4, 0.8), (8, 0.8), (5, 0.6), (10, 0.7), (3, 0.5)] * 8)
    ],
    "walks": [{"seed": seed, "positions": slippery_walk(seed)} for seed in range(40)],
    "blackjack": [{"seed": seed, **blackjack(seed)} for seed in range(60)],
    "taxi": [{"seed": seed, "state": int(TaxiEnv().reset(seed=seed)[0])} for seed in range(60)],
}
target = pathlib.Path(__file__).parent / "data" / "numpy.golden.json"
lines = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in vectors.items()]
target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(len(SEEDS), "seeds,", target.stat().st_size, "bytes")

"""The gymnasium client of this repository, beside gymnasium's own environments. Rewards are compared bit for bit."""

import pathlib
import subprocess
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))

import gymnasium
import numpy as np
from biplane_gymnasium import BiplaneEnv, BiplaneVectorEnv, EpisodeFailed
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

from checks import check, env, episodes, equal, holds, run, until


def lander(seen):
    position, velocity, orientation, legs = (seen[key] for key in ("position", "velocity", "orientation", "legs"))
    numbers = [*position.values(), *velocity.values(), *orientation.values(), *legs.values()]
    return np.array(numbers, dtype=np.float32)


# By gymnasium's name: our environment, its config, and how it shows an observation.
same = {
    "FrozenLake-v1": ("frozen-lake", {"gym_id": "FrozenLake-v1"}, lambda seen: seen["position"]),
    "FrozenLake8x8-v1": ("frozen-lake", {"gym_id": "FrozenLake8x8-v1"}, lambda seen: seen["position"]),
    "Taxi-v4": ("taxi", {}, lambda seen: seen["state"]),
    "Blackjack-v1": ("blackjack", {}, lambda seen: (seen["player_sum"], seen["dealer_card"], seen["usable_ace"])),
    "LunarLander-v3": ("lunar-lander", {}, lander),
    "LunarLanderContinuous-v3": ("lunar-lander", {"gym_id": "LunarLanderContinuous-v3"}, lander),
}


def beside(name):
    """Gymnasium's environment, and ours with the same spaces."""
    ours, config, observe = same[name]
    theirs = gymnasium.make(name)
    shape = {"action_space": theirs.action_space, "observation_space": theirs.observation_space}
    return theirs, BiplaneEnv(env(ours), config=config, observe=observe, **shape)


@check
def trajectories():
    """Same seed, same actions: the trajectories of gymnasium's own environments"""
    steps = 0
    for name in same:
        theirs, ours = beside(name)
        for seed in range(5):
            theirs.action_space.seed(seed)
            equal(plain(ours.reset(seed=seed)[0]), plain(theirs.reset(seed=seed)[0]), f"{name}, seed {seed}")
            for number in range(300):
                action = theirs.action_space.sample()
                seen, reward, terminated, truncated, _ = theirs.step(action)
                got = ours.step(action)
                where = f"{name}, seed {seed}, step {number}"
                equal((plain(got[0]), *got[1:4]), (plain(seen), reward, terminated, truncated), where)
                steps += 1
                if terminated or truncated:
                    break
        ours.close()
    assert steps > 1500, steps


def plain(observation):
    return np.asarray(observation).tolist()


@check
def checked():
    """check_env of gymnasium passes: with gymnasium's spaces, and with those of our schemas"""
    for name in same:
        _, ours = beside(name)
        examine(ours)
    for name in ("frozen-lake", "taxi", "blackjack", "lunar-lander", "catch", "connect-four", "cliff-walking"):
        examine(BiplaneEnv(env(name)))
    examine(gymnasium.make("biplane/Remote-v0", url=env("taxi"), disable_env_checker=True).unwrapped)


def examine(made):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(made)
    made.close()


@check
def declared():
    """The action spaces come from the schemas of the tools, the others from the first observation"""
    lake = BiplaneEnv(env("frozen-lake"), render_mode="ansi")
    equal(lake.action_space, spaces.Discrete(4))
    equal(sorted(lake.observation_space), ["grid", "position"])
    lake.reset(seed=42)
    holds(lake.render(), "FHFF")
    lake.close()
    typed = BiplaneEnv(env("catch"))
    equal(typed.action_space, spaces.Discrete(3))
    typed.close()
    several = BiplaneEnv(env("difficult"))
    equal(type(several.action_space), spaces.OneOf)
    several.close()
    one = BiplaneEnv(env("difficult"), tool="text_repeat")
    equal(sorted(one.action_space), ["times", "word"])
    one.close()


@check
def vectorised():
    """16 environments at once: the rewards of one at a time, and the next episode after an end"""
    count, steps = 16, 120
    rng = np.random.default_rng(0)
    actions = rng.integers(4, size=(steps, count))
    envs = BiplaneVectorEnv(env("frozen-lake"), count)
    seen, _ = envs.reset(seed=100)
    assert envs.observation_space.contains(seen)
    lines = [envs.step(each) for each in actions]
    envs.close()
    ended = 0
    for at in range(count):
        alone = BiplaneEnv(env("frozen-lake"))
        alone.reset(seed=100 + at)
        is_over = False
        for number in range(steps):
            if is_over:
                alone.reset()
                expected = (0.0, False, False)
            else:
                expected = alone.step(actions[number, at])[1:4]
            got = tuple(each[at].item() for each in lines[number][1:4])
            equal(got, expected, f"environment {at}, step {number}")
            is_over = expected[1] or expected[2]
            ended += is_over
        alone.close()
    assert ended > count, ended


@check
def registered():
    """gymnasium.make and make_vec know it"""
    made = gymnasium.make("biplane_gymnasium:biplane/Remote-v0", url=env("taxi"))
    equal(made.reset(seed=1)[1], {"step_count": 0})
    made.close()
    several = gymnasium.make_vec("biplane/Remote-v0", num_envs=3, url=env("taxi"))
    equal(several.step(several.action_space.sample())[1].shape if several.reset(seed=1) else None, (3,))
    several.close()


@check
def failures():
    """A reward that is unknown is an error, or NaN in a vector: never 0"""
    alone = BiplaneEnv(env("unjudged"))
    alone.reset(seed=0)
    equal(alone.step("")[1], 1.0)
    try:
        alone.step("")
        raise AssertionError("the step has a reward")
    except EpisodeFailed as error:
        holds(error, "judge")
    alone.close()
    envs = BiplaneVectorEnv(env("unjudged"), 2)
    envs.reset(seed=0)
    equal(envs.step(envs.action_space.sample())[1].tolist(), [1.0, 1.0])
    _, rewards, _, truncated, infos = envs.step(envs.action_space.sample())
    assert np.isnan(rewards).all() and truncated.all(), rewards
    holds(infos["failure"][0], "judge")
    _, rewards, _, truncated, _ = envs.step(envs.action_space.sample())
    equal((rewards.tolist(), truncated.any()), ([0.0, 0.0], False), "the next episodes")
    envs.close()


@check
def refused():
    """An action that the environment refuses changes nothing, and says why"""
    made = BiplaneEnv(env("lunar-lander"), action_space=spaces.Box(-1, 1, (2,)))
    made.reset(seed=0)
    _, reward, terminated, _, info = made.step(np.zeros(2))
    equal((reward, terminated, info["step_count"]), (0.0, False, 0))
    holds(info["error"], "not continuous")
    made.close()
    typed = BiplaneEnv(env("catch"), action_space=spaces.Discrete(9))
    typed._actions = {None: {"type": "object", "properties": {"action_id": {"type": "integer"}}}}
    typed.reset(seed=0)
    _, reward, terminated, _, info = typed.step(8)
    equal((reward, terminated), (0.0, False))
    holds(info["error"], "action_id")
    typed.close()


@check
def installed():
    """The file installs from the repository"""
    folder = pathlib.Path(__file__).parents[2] / "python"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", "installed", str(folder)]
    equal(subprocess.run(command, stdout=sys.stderr).returncode, 0)


@check
def nothing_left():
    """Closing ends the episodes"""
    for name in ("frozen-lake", "taxi", "unjudged"):
        until(lambda: episodes(name) == [], what=f"the end of the episodes of {name}")


run()

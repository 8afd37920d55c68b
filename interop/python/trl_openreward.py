"""TRL reaches our server over ORS: its own spec, its rollout environments, and its trainer on a CPU."""

import math
import os

from checks import check, episodes, equal, holds, run, until, url

os.environ["OPENREWARD_SESSION_URL"] = url
os.environ.pop("OPENREWARD_API_KEY", None)

from rollouts import actions, breaks, games, masked_breaks, tell  # noqa: E402
from tiny_model import call, train  # noqa: E402
from trl.experimental.openreward import OpenRewardSpec  # noqa: E402


def spec_of(name, **options):
    return OpenRewardSpec(url, env_name=name, **options)


@check
def dataset():
    """The dataset has a row for each task, and no answers"""
    rows = spec_of("frozen-lake", num_tasks=4).train_dataset
    equal(sorted(rows.column_names), ["id", "index", "prompt", "split", "task_index"])
    equal((rows["id"], rows["task_index"]), (["seed_0", "seed_1", "seed_2", "seed_3"], [0, 1, 2, 3]))


@check
def rollouts():
    """Rollouts of five games have the episode's total as reward, also if they are not finished"""
    for name, count in games.items():
        spec = spec_of(name, num_tasks=8)
        environment = spec.environment_factory()
        tools = {tool.name: tool.input_schema for tool in spec._sdk_env.list_tools()}
        for index in range(8):
            holds(type(environment.reset(task_index=index)), "str")
            played = []
            for tool, arguments in actions(tools, count, index):
                played.append([tool, arguments])
                getattr(environment, tool)(**arguments)
                if environment.finished:
                    break
            [reward] = spec.reward_funcs([environment])
            tell(name, index, played, reward=reward, finished=environment.finished, masked=False)
        environment._close()


@check
def failures():
    """A masked failure gives no reward of its own: TRL keeps the one from before, and reports the error to the model"""
    spec = spec_of("fragile", num_tasks=8)
    environment = spec.environment_factory()
    for index, (what, names) in enumerate(breaks.items()):
        environment.reset(task_index=index)
        said = [getattr(environment, name)() for name in names]
        is_masked = what in masked_breaks
        equal(environment.rewards[1:2] == [None], what != "nothing", what)
        if is_masked:
            holds(said[1], "Error")
        else:
            done = environment.finished
            tell("fragile", index, [[name, {}] for name in names], reward=environment.reward, finished=done, masked=False)
    # Without any reward before, the rollout has none, and TRL masks it.
    environment.reset(task_index=9)
    environment.judge_kill()
    equal(spec.reward_funcs([environment]), [None])
    tell("fragile", 9, [["judge_kill", {}]], reward=None, finished=False, masked=True)
    environment._close()


@check
def trainer():
    """GRPOTrainer with the spec's dataset, environments and rewards: two steps on the frozen lake"""
    spec, made = spec_of("frozen-lake", num_tasks=8), []

    def make():
        made.append(spec.environment_factory())
        return made[-1]

    words = [call("lake_move", action=action) for action in ["LEFT", "DOWN", "RIGHT", "UP"]]
    log, moved = train(words, spec.train_dataset, [spec.reward_funcs], environment_factory=make)
    equal(len(log), 2, "training steps")
    assert moved and all(math.isfinite(line["loss"]) for line in log), "weights moved, losses are numbers"
    assert sum(len(each.rewards) for each in made) > 20, "steps were played"
    for each in made:
        each._close()


@check
def nothing_left():
    """No session is left"""
    for name in [*games, "fragile"]:
        until(lambda name=name: episodes(name) == [], what=f"{name} has no episode")


run(300)

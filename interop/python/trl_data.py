"""TRL trains on the files that `biplane export` writes, on a CPU, with a tiny random model: trl_data.py <server> <folder>"""

import json
import math
import sys
import tempfile
from pathlib import Path

import torch
from checks import check, equal, run
from datasets import Dataset, load_dataset
from tiny_model import model, tokenizer
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, KTOConfig, KTOTrainer, SFTConfig, SFTTrainer

folder = Path(sys.argv[2])


def lines(name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").split("\n") if line]


def read(name):
    with tempfile.TemporaryDirectory() as cache:
        read = load_dataset("json", data_files=str(folder / f"{name}.jsonl"), cache_dir=cache)["train"]
        return Dataset.from_list(read.to_list())


def train(trainer_class, config_class, dataset, config=None, **options):
    fast = tokenizer([])
    with tempfile.TemporaryDirectory() as output:
        arguments = config_class(
            output_dir=output,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            save_strategy="no",
            logging_steps=1,
            max_steps=1,
            learning_rate=1e-3,
            **(config or {}),
        )
        trainer = trainer_class(
            model=model(fast), args=arguments, processing_class=fast, train_dataset=dataset, **options
        )
        trainer.train()
        [line] = [line for line in trainer.state.log_history if "loss" in line]
        assert math.isfinite(line["loss"]), line
        return trainer


@check
def sft():
    """SFTTrainer trains on the rollouts that pass"""
    dataset = read("sft")
    equal((len(dataset), dataset.column_names), (2, ["prompt", "completion", "tools"]))
    train(SFTTrainer, SFTConfig, dataset, {"max_length": None})


@check
def dpo():
    """DPOTrainer trains on the preference pairs"""
    dataset = read("dpo")
    equal(len(dataset), 1)
    train(DPOTrainer, DPOConfig, dataset, {"max_length": None}, ref_model=model(tokenizer([])))


@check
def kto():
    """KTOTrainer trains on the labelled rollouts, without the masked one"""
    dataset = read("kto")
    equal(dataset["label"], [True, True, False])
    config = {"max_length": None, "per_device_train_batch_size": 3}
    train(KTOTrainer, KTOConfig, dataset, config, ref_model=model(tokenizer([])))


@check
def tokens():
    """SFTTrainer trains only on the tokens that the model wrote"""
    table = [
        {
            "input_ids": line["prompt_ids"] + line["completion_ids"],
            "assistant_masks": [0] * len(line["prompt_ids"]) + line["env_mask"],
        }
        for line in lines("tokens")
        if not line["masked"]
    ]
    equal(len(table), 3)
    trainer = train(SFTTrainer, SFTConfig, Dataset.from_list(table), {"max_length": None})
    batch = trainer.data_collator([trainer.train_dataset[0]])
    learned = [token for token in batch["labels"][0].tolist() if token != -100]
    equal(len(learned), 12, "two tokens for each of six moves")


@check
def masked():
    """GRPOTrainer takes the tokens from a rollout_func, and keeps the masked rollout out of its group"""
    played = lines("tokens")
    equal([line["reward"] for line in played], [1, 1, 0, None])
    seen = {}

    def rollout(prompts, trainer):
        keys = ("prompt_ids", "completion_ids", "logprobs", "env_mask", "reward")
        return {key: [line[key] for line in played] for key in keys}

    def reward(completions, reward, **_):
        return reward

    class Trainer(GRPOTrainer):
        def _generate_and_score_completions(self, inputs):
            output = super()._generate_and_score_completions(inputs)
            seen["advantages"] = output["advantages"].tolist()
            return output

    dataset = Dataset.from_list([{"prompt": [{"role": "user", "content": "Cross the lake."}]}])
    config = {"per_device_train_batch_size": 4, "num_generations": 4, "max_completion_length": 64, "beta": 0.0}
    train(Trainer, GRPOConfig, dataset, config, reward_funcs=[reward], rollout_func=rollout)
    first, second, third, last = seen["advantages"]
    assert first == second > 0 > third and last == 0, seen
    mean = sum([1, 1, 0]) / 3
    equal(round(third / first, 3), round((0 - mean) / (1 - mean), 3), "advantages of the group without the masked one")
    assert torch.tensor(seen["advantages"]).isfinite().all()


run(limit_s=240)

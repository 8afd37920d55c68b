"""A tiny random model that TRL trains on a CPU. Its vocabulary has a token for each call, so that it makes valid calls
from the first step. Nothing is downloaded."""

import json
import pathlib
import tempfile

import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer


def call(name, **arguments):
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"


def tokenizer(words):
    """Every byte is a token, and so is each of these words."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bare = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(alphabet)}, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=bare, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.add_tokens([AddedToken(word, special=False, normalized=False) for word in words])
    fast.chat_template = (pathlib.Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return fast


def model(fast):
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=8192,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
        tie_word_embeddings=False,
    )
    return Qwen3ForCausalLM(config)


def train(words, dataset, rewards=None, **options):
    fast = tokenizer(words)
    speakable = {*fast.convert_tokens_to_ids(words), fast.eos_token_id}
    with tempfile.TemporaryDirectory() as folder:
        arguments = GRPOConfig(
            output_dir=folder,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            save_strategy="no",
            logging_steps=1,
            max_steps=2,
            per_device_train_batch_size=16,
            num_generations=4,
            max_completion_length=800,
            max_tool_calling_iterations=4,
            learning_rate=1e-3,
            beta=0.0,
            generation_kwargs={"suppress_tokens": [at for at in range(len(fast)) if at not in speakable]},
        )
        trainer = GRPOTrainer(
            model=model(fast),
            args=arguments,
            processing_class=fast,
            reward_funcs=rewards or [],
            train_dataset=dataset,
            **options,
        )
        before = [weights.detach().clone() for weights in trainer.model.parameters()]
        trainer.train()
        moved = any(not torch.equal(old, new) for old, new in zip(before, trainer.model.parameters(), strict=True))
        return [line for line in trainer.state.log_history if "loss" in line], moved

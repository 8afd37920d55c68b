"""Plays a row with ep.rollout and a scripted model. Raises if the rollout ended in an error."""

import asyncio
import json

import eval_protocol as ep
from eval_protocol.mcp.execution.policy import LLMBasePolicy
from eval_protocol.models import EvaluationRow, InputMetadata, Message
from scripted_model import answer


class Scripted(LLMBasePolicy):
    def __init__(self):
        super().__init__(model_id="my-model")

    async def _make_llm_call(self, messages, tools):
        return answer(messages)

    def _convert_mcp_tools_to_llm_format(self, mcp_tools):
        return mcp_tools


async def play_row(address, seed):
    """In a thread: a broken connection cancels everything in the event loop of the MCP client."""

    def play():
        try:
            return asyncio.run(asyncio.wait_for(play_once(address, seed), 30))
        except BaseException as error:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None

    return await asyncio.to_thread(play)


async def play_once(address, seed):
    play = {"tool": "lake_move", "to": "HG"[seed % 2]}
    context = {"game": "FrozenLake", "map_name": "4x4", "seed": seed}
    made = [
        EvaluationRow(
            messages=[Message(role="system", content=json.dumps(play))],
            input_metadata=InputMetadata(
                row_id=f"run_{seed}",
                dataset_info={"user_prompt_template": "{observation}", "environment_context": context},
            ),
        )
    ]
    envs = ep.make(f"{address}/mcp", evaluation_rows=made, model_id="my-model")
    [played] = await ep.rollout(envs, policy=Scripted(), evaluation_rows=made, steps=30)
    if not played.get_terminated():
        raise RuntimeError(f"the rollout ended with {played.get_termination_reason()}")
    told = [message.content for message in played.messages if message.role == "tool"]
    return told, played.get_total_reward(), played.get_steps()

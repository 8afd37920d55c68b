"""Eval Protocol's own engine on a server, with a policy that costs nothing: python eval_protocol_engine.py url rows steps at_once"""

import asyncio
import json
import logging
import sys
import time

logging.disable(logging.CRITICAL)

import eval_protocol as ep  # noqa: E402
from eval_protocol.mcp.execution.policy import LLMBasePolicy  # noqa: E402
from eval_protocol.models import EvaluationRow, InputMetadata, Message  # noqa: E402

url, rows, steps, at_once = sys.argv[1], *map(int, sys.argv[2:5])


class Scripted(LLMBasePolicy):
    """Always the same move, which leads nowhere and ends nothing."""

    async def _make_llm_call(self, messages, tools):
        call = {"id": f"call_{len(messages)}", "type": "function", "function": {"name": "lake_move", "arguments": '{"action": "LEFT"}'}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}

    def _convert_mcp_tools_to_llm_format(self, mcp_tools):
        return mcp_tools


def row(number):
    info = {"user_prompt_template": "{observation}", "environment_context": {"seed": number}}
    return EvaluationRow(messages=[Message(role="system", content="Play.")], input_metadata=InputMetadata(row_id=f"row_{number}", dataset_info=info))


async def play(count):
    made = [row(number) for number in range(count)]
    policy = Scripted(model_id="scripted")
    envs = ep.make(url, evaluation_rows=made, model_id="scripted")
    played = await ep.rollout(envs, policy=policy, evaluation_rows=made, steps=steps, max_concurrent_rollouts=at_once)
    return sum(done.get_steps() for done in played)


async def main():
    await play(2)
    began, cpu = time.perf_counter(), time.process_time()
    taken = await play(rows)
    print(json.dumps({"steps": taken, "seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}), flush=True)


asyncio.run(main())

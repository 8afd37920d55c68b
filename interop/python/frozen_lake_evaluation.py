"""A typical evaluation, run by pytest."""

import json
import os
import pathlib

from eval_protocol.models import EvaluateResult, EvaluationRow, InputMetadata, Message
from eval_protocol.pytest import MCPGymRolloutProcessor, evaluation_test


def row(seed):
    return EvaluationRow(
        messages=[Message(role="system", content=json.dumps({"tool": "lake_move", "to": "G"}))],
        input_metadata=InputMetadata(
            row_id=f"run_{seed}",
            dataset_info={"user_prompt_template": "{observation}", "environment_context": {"seed": seed}},
        ),
    )


@evaluation_test(
    input_rows=[[row(42), row(123), row(456)]],
    completion_params=[{"model": "openai/scripted", "base_url": os.environ["INTEROP_MODEL"]}],
    rollout_processor=MCPGymRolloutProcessor(),
    rollout_processor_kwargs={"port": int(os.environ["INTEROP_PORT"]), "server_mode": "shared"},
    server_script_path=str(pathlib.Path(__file__).parent / "serve_biplane.py"),
    passed_threshold=1.0,
    num_runs=2,
    steps=30,
    mode="pointwise",
)
def test_frozen_lake(row: EvaluationRow) -> EvaluationRow:
    row.evaluation_result = EvaluateResult(score=row.get_total_reward(), reason="reached the goal")
    return row

"""Reads the run that log_to_mlflow.py logged: read_mlflow.py <folder>"""

import json
import sys

import mlflow

client = mlflow.MlflowClient(f"sqlite:///{sys.argv[1]}/mlflow.db")
experiment = client.get_experiment_by_name("biplane")
[run] = client.search_runs([experiment.experiment_id])
history = lambda key: [metric.value for metric in client.get_metric_history(run.info.run_id, f"rollout/{key}")]
print(
    json.dumps(
        {
            "name": run.info.run_name,
            "config": run.data.params,
            "summary": run.data.metrics,
            "scores": history("score"),
            "steps": history("steps"),
            "files": [file.path for file in client.list_artifacts(run.info.run_id)],
        }
    )
)

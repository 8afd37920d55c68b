const readRun = `folder = pathlib.Path(__file__).resolve().parent
run = json.loads((folder / "run.json").read_text("utf-8"))
lines = (folder / "rollouts.jsonl").read_text("utf-8").split("\\n")
rollouts = [json.loads(line) for line in lines if line]
# A masked rollout has no score and no reward. What is None is left out, never logged as 0.
measured = ["score", "reward", "steps", "tokens", "cost", "duration_ms"]`;

/** Logs a run to Weights & Biases. */
export const wandbScript = `"""Logs this run to Weights & Biases: python log_to_wandb.py --project NAME [--offline]"""

import argparse
import json
import pathlib

import wandb

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--project", default="biplane")
parser.add_argument("--entity")
parser.add_argument("--offline", action="store_true", help="write to ./wandb; 'wandb sync' uploads it later")
args = parser.parse_args()

${readRun}

with wandb.init(
    project=args.project,
    entity=args.entity,
    id=run["id"],
    name=run["name"],
    tags=run["tags"],
    config=run["config"],
    mode="offline" if args.offline else None,
) as logged:
    for rollout in rollouts:
        logged.log({f"rollout/{key}": rollout[key] for key in measured if rollout[key] is not None})
    if rollouts:
        columns = list(rollouts[0])
        logged.log({"rollouts": wandb.Table(columns=columns, data=[list(each.values()) for each in rollouts])})
    logged.summary.update({key: value for key, value in run["summary"].items() if value is not None})
    artifact = wandb.Artifact(f"rollouts-{run['id']}", type="rollouts")
    artifact.add_file(str(folder / "rollouts.parquet"))
    logged.log_artifact(artifact)
`;

/** Logs a run to MLflow. */
export const mlflowScript = `"""Logs this run to MLflow: python log_to_mlflow.py --experiment NAME [--tracking-uri sqlite:///mlflow.db]"""

import argparse
import json
import pathlib
import time

import mlflow
from mlflow.entities import Metric

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--experiment", default="biplane")
parser.add_argument("--tracking-uri", help="a server or a file (default: MLflow's own default)")
args = parser.parse_args()

${readRun}

if args.tracking_uri:
    mlflow.set_tracking_uri(args.tracking_uri)
mlflow.set_experiment(args.experiment)
with mlflow.start_run(run_name=run["name"], tags={"biplane.run": run["id"], "biplane.tags": ",".join(run["tags"])}) as logged:
    mlflow.log_params({key: value for key, value in run["config"].items() if value is not None})
    mlflow.log_metrics({key: value for key, value in run["summary"].items() if value is not None})
    now = int(time.time() * 1000)
    metrics = [
        Metric(f"rollout/{key}", rollout[key], now, step)
        for step, rollout in enumerate(rollouts)
        for key in measured
        if rollout[key] is not None
    ]
    client = mlflow.MlflowClient()
    for start in range(0, len(metrics), 1000):  # MLflow takes 1,000 at once
        client.log_batch(logged.info.run_id, metrics=metrics[start : start + 1000])
    mlflow.log_artifact(str(folder / "rollouts.parquet"))
    mlflow.log_artifact(str(folder / "rollouts.jsonl"))
`;

"""OpenEnv's static and runtime graders. The latter otherwise need Docker: openenv_graders.py URL FOLDER NAME …"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from openenv.validation import Level, run_validation
from openenv.validation.graders.runtime.basic import (
    ObservationSchemaGrader,
    RewardWellFormedGrader,
    StateContractGrader,
)
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import load_runtime_plan

url, folder, *names = sys.argv[1:]
graders = [RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader()]


def grade(name):
    package = Path(folder) / name
    manifest = OpenEnvYamlParser().parse(package)
    plan = load_runtime_plan(package, manifest.execution)
    evidence = collect_runtime_evidence(f"{url}/env/{name}", plan, episode_timeout_s=60)
    subject = SimpleNamespace(manifest=manifest, runtime_evidence=evidence)
    static = run_validation(package, max_level=Level.STATIC)
    assert [result.check_id for result in static.results if result.status.value == "pass"] == ["static.manifest"]
    results = [grader.run(subject) for grader in graders]
    for result in results:
        if result.status.value != "pass":
            print(name, result.check_id, result.evidence, evidence.failure_reason, file=sys.stderr)
    return [{"check_id": result.check_id, "status": result.status.value} for result in results]


print(json.dumps({name: grade(name) for name in names}))

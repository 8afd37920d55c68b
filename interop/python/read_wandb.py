"""Reads the offline run that log_to_wandb.py logged, from what `wandb sync` would upload: read_wandb.py <folder>"""

import json
import sys
from pathlib import Path

from wandb.proto import wandb_internal_pb2

[file] = Path(sys.argv[1]).glob("wandb/offline-run-*/run-*.wandb")
read = {"scores": [], "steps": [], "summary": {}, "config": {}, "files": [], "name": None}


def values(items):
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def entries(data):
    """A LevelDB log: blocks of 32 KiB with parts of entries, each after its checksum, length and kind."""
    entry, at = b"", 7  # the file begins with its magic bytes and version
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        entry += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield entry
            entry = b""


for data in entries(file.read_bytes()):
    record = wandb_internal_pb2.Record()
    record.ParseFromString(data)
    kind = record.WhichOneof("record_type")
    if kind == "run":
        read["name"] = record.run.display_name
        read["config"].update(values(record.run.config.update))
    elif kind == "history":
        row = values(record.history.item)
        for key in ("score", "steps"):
            if f"rollout/{key}" in row:
                read[f"{key}s".replace("ss", "s")].append(row[f"rollout/{key}"])
    elif kind == "summary":
        read["summary"].update(values(record.summary.update))
    elif kind == "artifact" or kind == "request" and record.request.WhichOneof("request_type") == "log_artifact":
        artifact = record.artifact if kind == "artifact" else record.request.log_artifact.artifact
        read["files"] += [entry.path for entry in artifact.manifest.contents]
print(json.dumps(read))

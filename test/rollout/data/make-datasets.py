"""Writes the dataset files of these tests: python make-datasets.py, with datasets 5.2.0 and pyarrow 26."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Dataset, DatasetDict

home = Path(__file__).parent / "datasets"
shutil.rmtree(home, ignore_errors=True)
home.mkdir()

rows = [
    {
        "id": "first",
        "messages": [
            {"role": "system", "content": "You cross a lake.", "name": None},
            {"role": "user", "content": "Go — now", "name": None},
        ],
        "seed": 42,
        "config": {"is_slippery": False, "size": 4},
        "answer": 15.0,
    },
    {
        "id": "second",
        "messages": [{"role": "user", "content": "Go", "name": None}],
        "seed": 7,
        "config": {"is_slippery": True, "size": 8},
        "answer": None,
    },
    {
        "id": "third",
        "messages": [{"role": "user", "content": "", "name": None}],
        "seed": 0,
        "config": {"is_slippery": True, "size": None},
        "answer": 0.5,
    },
]
dataset = Dataset.from_list(rows)

for codec in ("snappy", "zstd", "gzip", "brotli"):
    pq.write_table(dataset.data.table, home / f"rows-{codec}.parquet", compression=codec, row_group_size=2)
with pa.ipc.new_file(home / "rows-file.arrow", dataset.data.table.schema) as writer:
    writer.write_table(dataset.data.table, max_chunksize=2)
dataset.to_json(home / "rows.jsonl")
as_text = dataset.map(lambda row: {"messages": json.dumps(row["messages"]), "config": json.dumps(row["config"])})
as_text.to_csv(home / "rows.csv")
dataset.save_to_disk(home / "saved", num_shards=2)
DatasetDict(train=dataset.select([0, 1]), test=dataset.select([2])).save_to_disk(home / "splits")
(home / "repository" / "data").mkdir(parents=True)
dataset.select([0, 1]).to_parquet(home / "repository" / "data" / "train-00000-of-00002.parquet")
dataset.select([2]).to_parquet(home / "repository" / "data" / "train-00001-of-00002.parquet")
dataset.select([2]).to_parquet(home / "repository" / "data" / "test-00000-of-00001.parquet")

"""Writes a dataset in every way that `datasets` can, and what each file holds: write_datasets.py <folder>"""

import json
import sys
from pathlib import Path

from datasets import Dataset, DatasetDict, disable_progress_bars

disable_progress_bars()

folder = Path(sys.argv[1])
count = 2500  # more than one batch and row group
rows = [
    {
        "id": f"row {at}",
        "messages": [
            {"role": "system", "content": "You cross a lake."},
            {"role": "user", "content": f"Go to {at} — “now”,\nplease"},
        ][at % 2 :],
        "seed": at,
        "config": {"is_slippery": at % 3 == 0, "map": ["SF", "FG"]},
        "answer": "yes" if at % 2 else "no",
    }
    for at in range(count)
]
dataset = Dataset.from_list(rows)


def expected(some):
    context = lambda row: {**row["config"], "seed": row["seed"]}
    fields = lambda row: {key: row[key] for key in ("id", "seed", "messages", "answer")}
    return [{**fields(row), "context": context(row)} for row in some]


as_text = dataset.map(lambda row: {"messages": json.dumps(row["messages"]), "config": json.dumps(row["config"])})
dataset.to_parquet(folder / "rows.parquet")
dataset.to_json(folder / "rows.jsonl")
dataset.to_json(folder / "rows.jsonl.gz", compression="gzip")
as_text.to_csv(folder / "rows.csv")
dataset.save_to_disk(folder / "saved", num_shards=3)
halves = DatasetDict(train=dataset.select(range(2000)), test=dataset.select(range(2000, count)))
halves.save_to_disk(folder / "halves")
dataset.shuffle(seed=1).select(range(10)).sort("seed").save_to_disk(folder / "chosen")
chosen = [rows[row["seed"]] for row in dataset.shuffle(seed=1).select(range(10)).sort("seed")]
(folder / "repository" / "data").mkdir(parents=True)
for at in range(2):
    shard = dataset.shard(2, at, contiguous=True)
    shard.to_parquet(folder / "repository" / "data" / f"train-0000{at}-of-00002.parquet")

everything = expected(rows)
expectations = {
    "a Parquet file": {"path": "rows.parquet", "rows": everything},
    "a JSONL file": {"path": "rows.jsonl", "rows": everything},
    "a compressed JSONL file": {"path": "rows.jsonl.gz", "rows": everything},
    "a CSV file": {"path": "rows.csv", "rows": everything},
    "a saved dataset": {"path": "saved", "rows": everything},
    "a split of a saved dataset": {"path": "halves", "split": "test", "rows": expected(rows[2000:])},
    "a selection that was saved": {"path": "chosen", "rows": expected(chosen)},
    "a repository of Parquet files": {"path": "repository", "rows": everything},
}
(folder / "expected.json").write_text(json.dumps(expectations), "utf-8")

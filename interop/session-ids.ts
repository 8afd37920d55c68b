import { text } from "node:stream/consumers";
import { readPythonJson } from "../packages/biplane/src/rollout/python/json.ts";
import { evalSessionId } from "../packages/biplane/src/rollout/session-id.ts";

/** Reads rows from standard input and writes their session ids, for comparison with Python's. */
interface Row {
  readonly seed: number | bigint | null;
  readonly config: unknown;
  readonly dataset_row_id: string;
  readonly model_id: string;
}

const rows = readPythonJson(await text(process.stdin)) as readonly Row[];
const ids = rows.map(({ seed, config, dataset_row_id: rowId, model_id: modelId }) =>
  evalSessionId({ seed, config, rowId, modelId }),
);
console.log(JSON.stringify(ids));

import { createHash } from "node:crypto";
import { writePythonJson } from "./python/json.ts";

/** What Eval Protocol makes a session's id of. The same row and model have the same id, in every run. */
export interface SessionSubject {
  readonly seed: number | bigint | null;
  readonly config: unknown;
  readonly rowId: string;
  readonly modelId: string;
}

/** The id that Eval Protocol's own client gives a row, to the byte. */
export function evalSessionId({ seed, config, rowId, modelId }: SessionSubject): string {
  const canonical = writePythonJson({ seed, config, dataset_row_id: rowId, model_id: modelId });
  return createHash("md5").update(canonical).digest("hex");
}

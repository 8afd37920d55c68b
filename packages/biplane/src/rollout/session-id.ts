import { createHash } from "node:crypto";
import { writePythonJson } from "./python/json.ts";

/** Inputs of Eval Protocol's session id. The same row and model get the same id in every run. */
export interface SessionSubject {
  readonly seed: number | bigint | null;
  readonly config: unknown;
  readonly rowId: string;
  readonly modelId: string;
}

/** Computes the same id as Eval Protocol's client. */
export function evalSessionId({ seed, config, rowId, modelId }: SessionSubject): string {
  const canonical = writePythonJson({ seed, config, dataset_row_id: rowId, model_id: modelId });
  return createHash("md5").update(canonical).digest("hex");
}

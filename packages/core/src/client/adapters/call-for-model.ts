import { BiplaneError, asBiplaneError } from "../../errors.ts";
import { failedResult } from "../results.ts";
import type { ToolResult } from "../results.ts";
import { toolNamed } from "./model-name.ts";
import type { ToolSource } from "./tool-source.ts";
import { isRecord } from "../../is-record.ts";

export interface ModelCallOptions {
  readonly signal?: AbortSignal;
}

/**
 * Runs a call that a model requested. Errors become results with `isError`, because model APIs need a result for every
 * call. Only a cancelled call throws.
 */
export async function callForModel(
  source: ToolSource,
  call: { readonly name: string; readonly input: unknown },
  options: ModelCallOptions = {},
): Promise<ToolResult> {
  try {
    if (!isRecord(call.input)) throw new BiplaneError("INVALID_INPUT", "The arguments must be an object.");
    return await source.callTool(await toolNamed(source, call.name), call.input, options);
  } catch (error) {
    if (options.signal?.aborted === true || (error instanceof BiplaneError && error.code === "CANCELLED")) throw error;
    return failedResult(asBiplaneError(error));
  }
}

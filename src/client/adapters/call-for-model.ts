import { BiplaneError, messageOf } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import { text } from "../../tool/content.ts";
import type { ToolResult } from "../results.ts";
import { toolNamed } from "./model-name.ts";
import type { ToolSource } from "./tool-source.ts";

export interface ModelCallOptions {
  readonly signal?: AbortSignal;
}

/**
 * Makes a call that a model asked for. Every call needs its answer, so whatever goes wrong is a result for the model to
 * read; only a call that was cancelled throws.
 */
export async function callForModel(
  source: ToolSource,
  call: { readonly name: string; readonly input: unknown },
  options: ModelCallOptions = {},
): Promise<ToolResult> {
  try {
    if (!isObject(call.input)) throw new BiplaneError("INVALID_INPUT", "the arguments must be an object");
    return await source.callTool(await toolNamed(source, call.name), call.input, options);
  } catch (error) {
    if (options.signal?.aborted === true || (error instanceof BiplaneError && error.code === "CANCELLED")) throw error;
    return { content: [text(`Error: ${messageOf(error)}`)], isError: true };
  }
}

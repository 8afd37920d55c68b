import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";
import type { CodeHost } from "../engine.ts";
import { callBounds } from "../json-bounds.ts";
import { invalidArguments, unknownTool } from "../tool-error.ts";
import { failedReply } from "./errors.ts";
import type { ToolGuide } from "./toolset.ts";

/** A call of the guest, as it arrived. */
export interface GuestCall {
  readonly tool: string;
  readonly input: string;
}

/**
 * Calls a tool for the guest and encodes the reply. Synchronous if the tool is. The guest's worker has bounded the call
 * already; this check does not depend on it.
 */
export function replyTo(call: GuestCall, host: CodeHost, tools: Pick<ToolGuide, "has">): string | Promise<string> {
  try {
    const value = host.call(call.tool, readInput(call, tools));
    return value instanceof Promise ? value.then(valueText, errorText) : valueText(value);
  } catch (error) {
    return errorText(error);
  }
}

function readInput({ tool, input }: GuestCall, tools: Pick<ToolGuide, "has">): Record<string, unknown> {
  if (!tools.has(tool)) throw unknownTool(tool);
  if (input.length > callBounds.length) throw invalidArguments(tool, `they are larger than ${callBounds.length} bytes`);
  const parsed = parse(input);
  if (!isRecord(parsed)) throw invalidArguments(tool, "they are not an object");
  return parsed;
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  try {
    return `=${value === undefined ? "" : (JSON.stringify(value) ?? "")}`;
  } catch (error) {
    return errorText(error);
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof BiplaneError)) return failedReply("EXECUTION_ERROR", messageOf(error));
  return failedReply(error.code, error.message, error.details);
}

import { BiplaneError, messageOf } from "../../errors.ts";
import type { CodeHost } from "../engine.ts";
import { failure } from "./endings.ts";

/** Makes a guest's call and puts its reply into text: at once where the tool answers at once. */
export function replyTo(host: CodeHost, tool: string, input: string): string | Promise<string> {
  try {
    const value = host.call(tool, JSON.parse(input));
    return value instanceof Promise ? value.then(valueText, errorText) : valueText(value);
  } catch (error) {
    return errorText(error);
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
  if (!(error instanceof BiplaneError)) return failure("EXECUTION_ERROR", messageOf(error));
  return failure(error.code, error.message, error.details);
}

import { BiplaneError, messageOf } from "../errors.ts";
import { contentOf, isReply } from "../tool/content.ts";
import type { Reply } from "../tool/content.ts";
import { describeFault } from "../tool/schema.ts";
import type { Checked } from "../tool/schema.ts";
import type { CallState } from "./call-state.ts";
import { toolOf } from "./call-state.ts";

/** Validates the output and builds the outcome. A mismatch is the tool's error, not the caller's. */
export function verify(state: CallState): void | Promise<void> {
  const { output } = toolOf(state);
  if (!output) return finish(state);
  const { value } = state;
  const checked = output.check(isReply(value) ? value.structured : value);
  if (checked instanceof Promise) return checked.then((late) => accept(state, late));
  accept(state, checked);
}

function accept(state: CallState, checked: Checked): void {
  if (!checked.ok) {
    const why = describeFault(checked.fault);
    throw new BiplaneError("EXECUTION_ERROR", `${state.call.tool} returned a value its output schema rejects: ${why}`);
  }
  const { value } = state;
  state.value = isReply(value) ? { ...value, structured: checked.value } : checked.value;
  finish(state);
}

function finish(state: CallState): void {
  const { value, call } = state;
  try {
    if (isReply(value)) assertSerializable(value);
    const content = contentOf(value);
    // An app page does not replace text: models and clients without apps still need content.
    const hasNoText = content.length === 0 && isReply(value) && value.structured !== undefined && state.tool?.ui?.app;
    state.outcome = { status: "done", value, content: hasNoText ? contentOf(value.structured) : content };
  } catch (error) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `${call.tool} returned a value that cannot be serialized: ${messageOf(error)}`,
    );
  }
}

/** A value without JSON must fail here, as the tool's error, and not later in the wire protocol. */
function assertSerializable({ content, structured, meta }: Reply): void {
  for (const part of [content, structured, meta]) {
    if (part !== undefined && JSON.stringify(part) === undefined)
      throw new TypeError(`a ${typeof part} has no JSON form`);
  }
}

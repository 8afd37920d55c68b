import { BiplaneError } from "../errors.ts";
import { describeFault } from "../tool/schema.ts";
import type { Checked } from "../tool/schema.ts";
import type { CallState } from "./call-state.ts";
import { toolOf } from "./call-state.ts";

/** Validates and parses the input. Policies and the tool see the parsed value. */
export function checkInput(state: CallState): void | Promise<void> {
  const checked = toolOf(state).input.check(state.call.request.input);
  if (checked instanceof Promise) return checked.then((late) => accept(state, late));
  accept(state, checked);
}

function accept(state: CallState, checked: Checked): void {
  if (!checked.ok) {
    const { fault } = checked;
    throw new BiplaneError("INVALID_INPUT", `Invalid arguments for ${state.call.tool}: ${describeFault(fault)}`, {
      details: { path: fault.path },
    });
  }
  state.input = checked.value;
}

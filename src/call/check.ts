import { BiplaneError } from "../errors.ts";
import { describeFault } from "../tool/schema.ts";
import type { Checked } from "../tool/schema.ts";
import type { Passage } from "./passage.ts";
import { toolOf } from "./passage.ts";

/** Checks and parses the input; what comes out is what policies and the tool see. */
export function check(passage: Passage): void | Promise<void> {
  const checked = toolOf(passage).input.check(passage.call.request.input);
  if (checked instanceof Promise) return checked.then((late) => accept(passage, late));
  accept(passage, checked);
}

function accept(passage: Passage, checked: Checked): void {
  if (!checked.ok) {
    const { fault } = checked;
    throw new BiplaneError("INVALID_INPUT", `Invalid arguments for ${passage.call.tool}: ${describeFault(fault)}`, {
      details: { path: fault.path },
    });
  }
  passage.input = checked.value;
}

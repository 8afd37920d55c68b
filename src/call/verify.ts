import { BiplaneError, messageOf } from "../errors.ts";
import { contentOf, isReply } from "../tool/content.ts";
import type { Reply } from "../tool/content.ts";
import { describeFault } from "../tool/schema.ts";
import type { Checked } from "../tool/schema.ts";
import type { Passage } from "./passage.ts";
import { toolOf } from "./passage.ts";

/** Checks what the tool returned and makes it the outcome. A misfit is the tool's fault, not the caller's. */
export function verify(passage: Passage): void | Promise<void> {
  const { output } = toolOf(passage);
  if (!output) return finish(passage);
  const { value } = passage;
  const checked = output.check(isReply(value) ? value.structured : value);
  if (checked instanceof Promise) return checked.then((late) => accept(passage, late));
  accept(passage, checked);
}

function accept(passage: Passage, checked: Checked): void {
  if (!checked.ok) {
    const why = describeFault(checked.fault);
    throw new BiplaneError("EXECUTION_ERROR", `${passage.call.tool} returned what its output schema refuses: ${why}`);
  }
  const { value } = passage;
  passage.value = isReply(value) ? { ...value, structured: checked.value } : checked.value;
  finish(passage);
}

function finish(passage: Passage): void {
  const { value, call } = passage;
  try {
    if (isReply(value)) mustHaveJson(value);
    const content = contentOf(value);
    // A page does not stand in for words: who has no page, and the model, go by the text.
    const isMute = content.length === 0 && isReply(value) && value.structured !== undefined && passage.tool?.ui?.app;
    passage.outcome = { status: "done", value, content: isMute ? contentOf(value.structured) : content };
  } catch (error) {
    throw new BiplaneError("EXECUTION_ERROR", `${call.tool} returned what cannot be sent: ${messageOf(error)}`);
  }
}

/** Wires write these parts; here is the last place where a fault in them is still the tool's. */
function mustHaveJson({ content, structured, meta }: Reply): void {
  for (const part of [content, structured, meta]) {
    if (part !== undefined && JSON.stringify(part) === undefined) throw new TypeError(`${typeof part} has no JSON`);
  }
}

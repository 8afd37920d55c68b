import { BiplaneError } from "../errors.ts";
import type { LiveCall } from "./live-call.ts";
import type { Passage } from "./passage.ts";

/** Who answers when a policy asks. Resolves when approved; throws `APPROVAL_PENDING` or `APPROVAL_REJECTED`. */
export type Approver = (call: LiveCall, input: unknown, question: string) => Promise<void>;

/** Waits for the approver where a policy asked. Without one the answer is no. */
export function approve(passage: Passage): void | Promise<void> {
  const { call, body, input, question } = passage;
  if (question === undefined) return;
  if (body.approver) return body.approver(call, input, question);
  throw new BiplaneError("APPROVAL_REJECTED", `Approval is needed and nobody can give it here: ${question}`);
}

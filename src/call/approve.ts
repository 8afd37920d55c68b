import { BiplaneError } from "../errors.ts";
import { check } from "./check.ts";
import { decide } from "./decide.ts";
import type { LiveCall } from "./live-call.ts";
import type { Passage } from "./passage.ts";
import type { Asked, Mode } from "./policy.ts";
import { resolve } from "./resolve.ts";
import { subjectHash } from "./subject-hash.ts";

/** Who answers when a policy asks. */
export interface Approver {
  /** Resolves when approved; throws `APPROVAL_PENDING` or `APPROVAL_REJECTED`. */
  approve(request: ApprovalRequest): Promise<Approved>;
}

/** What waits for an answer. */
export interface ApprovalRequest {
  readonly call: LiveCall;
  /** The name of the server the call is for. */
  readonly server: string;
  readonly mode: Mode;
  /** The checked input the tool would get. */
  readonly input: unknown;
  readonly asked: Asked;
  /** SHA-256 of what an approval covers. */
  readonly hash: string;
}

export interface Approved {
  readonly by: string;
  /** Whether time went by: then what was true when the call was asked about may no longer be. */
  readonly waited: boolean;
}

/** Waits for the approver where a policy asked. Without one the answer is no. */
export function approve(passage: Passage): void | Promise<void> {
  if (passage.asked) return settle(passage, passage.asked);
}

/** After every wait the call is resolved, checked and decided again: an approval covers only what it was given for. */
async function settle(passage: Passage, asked: readonly Asked[]): Promise<void> {
  const { call, body } = passage;
  const covered = new Set<string>();
  for (let open: readonly Asked[] = asked; open.length > 0;) {
    const [next] = open as [Asked];
    if (!body.approver)
      throw new BiplaneError("APPROVAL_REJECTED", `Approval is needed and nobody can give it here: ${next.question}`);
    const hash = hashOf(passage, next);
    const request = { call, server: body.name, mode: body.mode, input: passage.input, asked: next, hash };
    const { by, waited } = await body.approver.approve(request);
    covered.add(hash);
    passage.approvedBy = by;
    passage.trail?.approved(by);
    if (waited) {
      for (const step of [resolve, check, decide]) {
        if (call.stopped) throw call.stopped;
        await step(passage);
      }
    }
    open = (passage.asked ?? []).filter((each) => !covered.has(hashOf(passage, each)));
  }
}

function hashOf({ call, body, input }: Passage, { subject }: Asked): string {
  return subjectHash(subject === undefined ? [body.name, call.tool, input] : [body.name, call.tool, "of", subject]);
}

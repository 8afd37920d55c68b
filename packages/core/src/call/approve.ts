import { BiplaneError } from "../errors.ts";
import { checkInput } from "./check.ts";
import { decide } from "./decide.ts";
import type { LiveCall } from "./live-call.ts";
import type { CallState } from "./call-state.ts";
import type { Asked, Mode } from "./policy.ts";
import { resolve } from "./resolve.ts";
import { subjectHash } from "./subject-hash.ts";

/** Decides a call when a policy returns `ask`. */
export interface Approver {
  /** Resolves when approved; throws `APPROVAL_PENDING` or `APPROVAL_REJECTED`. */
  approve(request: ApprovalRequest): Promise<Approved>;
}

/** What the approver decides: one call, with every question that is open about the same subject. */
export interface ApprovalRequest {
  readonly call: LiveCall;
  /** Name of the server that received the call. */
  readonly server: string;
  readonly mode: Mode;
  /** The checked input the tool would get. */
  readonly input: unknown;
  /** One for each rule that asks, in the order of the policies. */
  readonly questions: readonly Asked[];
  /** What the policies named instead of the input, if they did. */
  readonly subject: unknown;
  /** SHA-256 of server, tool, and the input or subject. */
  readonly hash: string;
}

export interface Approved {
  readonly by: string;
  /** True if the decision was not immediate. The call is then checked and decided again. */
  readonly waited: boolean;
}

/** Waits for the approver if a policy returned `ask`. Without an approver the call is rejected. */
export function approve(state: CallState): void | Promise<void> {
  if (state.asked) return settle(state, state.asked);
}

/** After every wait, resolve, check and decide run again: policies and arguments may have changed meanwhile. */
async function settle(state: CallState, asked: readonly Asked[]): Promise<void> {
  const { call, host } = state;
  /** Per subject, the questions that were answered. */
  const answered = new Map<string, Set<string>>();
  const approvers = new Set<string>();
  for (let open: readonly Asked[] = asked; open.length > 0;) {
    const [{ question, subject }] = open as [Asked];
    if (!host.approver) {
      throw new BiplaneError(
        "APPROVAL_REJECTED",
        `This call needs approval, but server ${host.name} has no approver: ${question}`,
      );
    }
    const hash = hashOf(state, subject);
    const questions = open.filter((each) => hashOf(state, each.subject) === hash);
    const request = { call, server: host.name, mode: host.mode, input: state.input, questions, subject, hash };
    const { by, waited } = await host.approver.approve(request);
    answered.set(hash, new Set([...(answered.get(hash) ?? []), ...questions.map(keyOf)]));
    approvers.add(by);
    state.approvedBy = [...approvers].join(", ");
    state.timeline?.addApproval(by);
    if (waited) {
      for (const step of [resolve, checkInput, decide]) {
        if (call.stopped) throw call.stopped;
        await step(state);
      }
    }
    open = (state.asked ?? []).filter((each) => !answered.get(hashOf(state, each.subject))?.has(keyOf(each)));
  }
}

/** A rule that now needs more people asks another question. */
function keyOf({ rule, approvers = 1 }: Asked): string {
  return `${approvers} ${rule}`;
}

function hashOf({ call, host, input }: CallState, subject: unknown): string {
  return subjectHash(subject === undefined ? [host.name, call.tool, input] : [host.name, call.tool, "of", subject]);
}

import { BiplaneError, messageOf } from "../errors.ts";
import type { Passage } from "./passage.ts";
import type { Decision, PolicyContext } from "./policy.ts";

/** Asks every policy in order, waiting only for those that answer late. */
export function decide(passage: Passage): void | Promise<void> {
  const { policies } = passage.body;
  if (policies.length === 0) return;
  const { call, body } = passage;
  const { principal, route, session, episode } = call;
  const context = { principal, route, mode: body.mode, session, episode };
  return decideFrom(passage, context, 0);
}

function decideFrom(passage: Passage, context: PolicyContext, from: number): void | Promise<void> {
  const { call, body, input } = passage;
  for (let at = from; at < body.policies.length; at++) {
    let decision: Decision | Promise<Decision> | undefined;
    try {
      decision = body.policies[at]?.(call.agent, call.tool, input, context);
    } catch (error) {
      refuse(passage, error);
    }
    if (decision instanceof Promise) {
      return decision
        .catch((error: unknown) => refuse(passage, error))
        .then((late) => {
          apply(passage, late);
          return decideFrom(passage, context, at + 1);
        });
    }
    apply(passage, decision);
  }
}

function apply(passage: Passage, decision: Decision | undefined): void {
  switch (decision?.verdict) {
    case "allow":
      return;
    case "ask":
      passage.question ??= decision.question;
      return;
    case "deny":
      throw new BiplaneError("POLICY_DENIED", decision.reason || "A policy denied the call");
    default:
      throw new BiplaneError("POLICY_DENIED", "A policy gave no decision");
  }
}

/** A policy that breaks denies, and what broke is told to the operator, not to the caller. */
function refuse(passage: Passage, error: unknown): never {
  passage.body.report(error, "a policy");
  throw new BiplaneError("POLICY_DENIED", "A policy failed", { cause: messageOf(error) });
}

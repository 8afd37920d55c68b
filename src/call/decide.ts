import { BiplaneError, messageOf } from "../errors.ts";
import type { Passage } from "./passage.ts";
import { allow, ask, deny } from "./policy.ts";
import type { Decision, Policy, PolicyContext } from "./policy.ts";

/** Asks every policy in order, waiting only for those that answer late. */
export function decide(passage: Passage): void | Promise<void> {
  const { call, body, trail } = passage;
  passage.asked = undefined;
  if (body.policies.length === 0) return;
  const { principal, route, session, episode } = call;
  const ruled = trail && ((rule: string) => trail.ruled(rule));
  const context = { principal, route, mode: body.mode, session, episode, redactor: call.redactor, ruled };
  return decideFrom(passage, context, 0);
}

function decideFrom(passage: Passage, context: PolicyContext, from: number): void | Promise<void> {
  const { call, body, input } = passage;
  for (let at = from; at < body.policies.length; at++) {
    let decision: Decision | Promise<Decision>;
    try {
      decision = (body.policies[at] as Policy)(call.agent, call.tool, input, context);
      if (!(decision instanceof Promise)) decision = read(decision);
    } catch (error) {
      refuse(passage, error);
    }
    if (decision instanceof Promise) {
      return decision
        .then(read)
        .catch((error: unknown) => refuse(passage, error))
        .then((late) => {
          apply(passage, late, at);
          return decideFrom(passage, context, at + 1);
        });
    }
    apply(passage, decision, at);
  }
}

/** A decision may come from plain JavaScript: only what is surely one counts. */
function read(decision: Unsure | undefined): Decision {
  switch (decision?.verdict) {
    case "allow":
      return allow();
    case "ask":
      return ask(textOf(decision.question) ?? "May it be done?", {
        subject: decision.subject,
        byCaller: decision.byCaller !== false,
      });
    case "deny":
      return deny(textOf(decision.reason) ?? "A policy denied the call", scopesOf(decision.scopes));
    default:
      return deny("A policy gave no decision");
  }
}

type Unsure = { readonly [Key in "verdict" | "question" | "reason" | "scopes" | "subject" | "byCaller"]?: unknown };

function scopesOf(scopes: unknown): { scopes?: readonly string[] } {
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  return isList && scopes.length > 0 ? { scopes } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function apply(passage: Passage, decision: Decision, at: number): void {
  passage.trail?.decided(passage.body.policies[at]?.name || `policy ${at + 1}`, decision);
  if (decision.verdict === "ask") (passage.asked ??= []).push(decision);
  if (decision.verdict !== "deny") return;
  const { reason, scopes } = decision;
  throw new BiplaneError("POLICY_DENIED", reason, scopes ? { details: { scopes } } : {});
}

/** A policy that breaks denies, and what broke is told to the operator, not to the caller. */
function refuse(passage: Passage, error: unknown): never {
  passage.body.report(error, "a policy");
  throw new BiplaneError("POLICY_DENIED", "A policy failed", { cause: messageOf(error) });
}

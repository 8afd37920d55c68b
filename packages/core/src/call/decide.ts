import { BiplaneError, messageOf } from "../errors.ts";
import type { AgentContext } from "../tool/call.ts";
import type { CallState } from "./call-state.ts";
import { frozenClaims } from "./frozen-copy.ts";
import { policyInputs } from "./policy-input.ts";
import { allow, ask, deny, isApproverCount } from "./policy.ts";
import type { Decision, Policy, PolicyContext } from "./policy.ts";

/** Evaluates the policies in order. Stays synchronous unless a policy returns a promise. */
export function decide(state: CallState): void | Promise<void> {
  const { call, host } = state;
  state.asked = undefined;
  state.rules = undefined;
  if (host.policies.length === 0) return;
  const { route, session, episode, identity, redactor } = call;
  const principal = frozenClaims(call.principal, call.principal.scopes);
  const seen: Seen = {
    agent: frozenClaims(call.agent, call.agent.metadata),
    input: policyInputs(state.input),
    context: Object.freeze({ principal, route, mode: host.mode, session, episode, identity, redactor }),
  };
  return decideFrom(state, seen, 0);
}

/** What policies see of a call. None of it leads back to what runs. */
interface Seen {
  readonly agent: AgentContext;
  readonly input: () => unknown;
  readonly context: PolicyContext;
}

function decideFrom(state: CallState, seen: Seen, from: number): void | Promise<void> {
  const { call, host } = state;
  for (let at = from; at < host.policies.length; at++) {
    let decision: Decision | Promise<Decision>;
    try {
      decision = (host.policies[at] as Policy)(seen.agent, call.tool, seen.input(), seen.context);
      if (!(decision instanceof Promise)) decision = read(decision);
    } catch (error) {
      refuse(state, error);
    }
    if (decision instanceof Promise) {
      return decision
        .then(read)
        .catch((error: unknown) => refuse(state, error))
        .then((late) => {
          apply(state, late, at);
          return decideFrom(state, seen, at + 1);
        });
    }
    apply(state, decision, at);
  }
}

/** Policies may be plain JavaScript, so the decision is validated; anything malformed denies. */
function read(decision: Unsure | undefined): Decision {
  switch (decision?.verdict) {
    case "allow": {
      const rule = textOf(decision.rule);
      return rule === undefined ? allow() : { verdict: "allow", rule };
    }
    case "ask":
      if (!isApproverCount(decision.approvers))
        return deny("A policy asked for an invalid number of approvers. Use a whole number from 1 to 20.");
      return ask(textOf(decision.question) ?? "May this call run?", {
        subject: decision.subject,
        byCaller: decision.byCaller !== false,
        ...ruleOf(decision.rule),
        ...(decision.approvers !== undefined && { approvers: decision.approvers }),
        pendingMessage: textOf(decision.pendingMessage),
      });
    case "deny":
      return deny(textOf(decision.reason) ?? "A policy denied the call.", {
        ...scopesOf(decision.scopes),
        ...ruleOf(decision.rule),
      });
    default:
      return deny("A policy returned no decision. Return allow(), deny(reason) or ask(question).");
  }
}

type Unsure = {
  readonly [
    Key in
      | "verdict"
      | "question"
      | "reason"
      | "scopes"
      | "subject"
      | "byCaller"
      | "rule"
      | "approvers"
      | "pendingMessage"
  ]?: unknown;
};

function scopesOf(scopes: unknown): { scopes?: readonly string[] } {
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  return isList && scopes.length > 0 ? { scopes } : {};
}

function ruleOf(rule: unknown): { rule?: string } {
  const name = textOf(rule);
  return name === undefined ? {} : { rule: name };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function apply(state: CallState, decision: Decision, at: number): void {
  const policy = state.host.policies[at]?.name || `policy ${at + 1}`;
  state.timeline?.addDecision(policy, decision);
  if (state.host.audit && (decision.rule !== undefined || decision.verdict !== "allow"))
    (state.rules ??= []).push(decision.rule ?? policy);
  if (decision.verdict === "ask") (state.asked ??= []).push({ ...decision, rule: decision.rule ?? policy });
  if (decision.verdict !== "deny") return;
  const { reason, scopes } = decision;
  throw new BiplaneError("POLICY_DENIED", reason, scopes ? { details: { scopes } } : {});
}

/** A policy that throws denies. The operator sees the error; the caller does not. */
function refuse(state: CallState, error: unknown): never {
  state.host.report(error, "a policy");
  throw new BiplaneError("POLICY_DENIED", "A policy failed, so the call was denied.", { cause: messageOf(error) });
}

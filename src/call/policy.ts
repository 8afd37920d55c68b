import type { Redactor } from "./redact/redactor.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";

/**
 * A rule over calls. All policies must allow; the first denial ends it; one that throws denies.
 * `input` is what the tool would get: checked and parsed.
 */
export type Policy = (
  agent: AgentContext,
  toolName: string,
  input: unknown,
  context: PolicyContext,
) => Decision | Promise<Decision>;

export interface PolicyContext {
  readonly principal: Principal;
  readonly route: Route;
  readonly mode: Mode;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Takes secrets out of what a decision quotes of the input. */
  readonly redactor: Redactor | undefined;
  /** Where somebody watches: takes the name of the rule that decides, for a policy that has several. */
  readonly ruled?: ((rule: string) => void) | undefined;
}

/** Simulation: training and trying things out. Production: only the data plane, under policy. */
export type Mode = "simulation" | "production";

export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "deny"; readonly reason: string; readonly scopes?: readonly string[] }
  | ({ readonly verdict: "ask"; readonly question: string } & AskOptions);

/** What a policy wants somebody to decide. */
export type Asked = Extract<Decision, { verdict: "ask" }>;

export interface AskOptions {
  /** What an approval covers, as plain data. Left out: the exact input. A script's policy names the script's hash. */
  readonly subject?: unknown;
  /** False where the caller's own user may never answer, whatever the operator allows. */
  readonly byCaller?: boolean;
}

const allowed: Decision = Object.freeze({ verdict: "allow" });

export const allow = (): Decision => allowed;
/** `scopes` are those that would have been enough: a client that knows OAuth can go and ask for them. */
export const deny = (reason: string, options: { scopes?: readonly string[] } = {}): Decision => ({
  verdict: "deny",
  reason,
  ...options,
});
/** Let a person decide. */
export const ask = (question: string, options: AskOptions = {}): Decision => ({ verdict: "ask", question, ...options });

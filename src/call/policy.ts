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
}

/** Simulation: training and trying things out. Production: only the data plane, under policy. */
export type Mode = "simulation" | "production";

export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "deny"; readonly reason: string }
  | { readonly verdict: "ask"; readonly question: string };

const allowed: Decision = Object.freeze({ verdict: "allow" });

export const allow = (): Decision => allowed;
export const deny = (reason: string): Decision => ({ verdict: "deny", reason });
/** Let a person decide. */
export const ask = (question: string): Decision => ({ verdict: "ask", question });

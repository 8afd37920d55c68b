import type { AgentContext, Environment, Episode, Principal, Tool, Served } from "@biplane/core";
import type { ServerCore, Redactor } from "@biplane/core/internal";
import { boundedJson, boundedText } from "../calls/bounded-json.ts";

/** A call to make over a transport. */
export interface ViaRequest {
  readonly served: Served;
  readonly server: ServerCore;
  readonly environment: Environment | undefined;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly episode: Episode | undefined;
  /** Empty for the server at the root. */
  readonly base: string;
}

/** What was sent and received. */
export interface WireExchange {
  readonly sent: WireMessage;
  readonly received: WireMessage;
}

export interface WireMessage {
  /** Lines before the body, such as HTTP headers. */
  readonly head?: string;
  /** JSON or text. */
  readonly body: unknown;
}

/** Makes a call over one transport. */
export type Via = (call: ViaRequest) => Promise<WireExchange>;

/** The agent's identity, as every protocol sends it. */
export function agentClaim({ agent }: ViaRequest): { agent_id: string; request_id: string } {
  return { agent_id: agent.agentId, request_id: agent.requestId };
}

/** A message as text for people: indented, redacted and bounded. */
export function shownText({ head, body }: WireMessage, redactor: Redactor | undefined): string {
  const clean = redactor?.value(body) ?? body;
  const text =
    typeof clean === "string"
      ? boundedText(clean, maxLength)
      : JSON.stringify(JSON.parse(boundedJson(clean ?? null, maxLength)), null, 2);
  return head === undefined ? text : `${redactor?.text(head) ?? head}\n\n${text}`;
}

const maxLength = 64_000;

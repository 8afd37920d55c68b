import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Redactor } from "../../call/redact/redactor.ts";
import type { Server } from "../../server/server.ts";
import type { AgentContext, Principal } from "../../tool/call.ts";
import type { Tool } from "../../tool/tool.ts";
import { boundedJson, boundedText } from "../call-json.ts";
import type { Served } from "../served.ts";

/** A call that is to be made over a wire. */
export interface WayOrder {
  readonly served: Served;
  readonly server: Server;
  readonly environment: Environment | undefined;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly episode: Episode | undefined;
  /** Empty for what is served at the root. */
  readonly base: string;
}

/** What went over a wire in each direction. */
export interface Spoken {
  readonly sent: Said;
  readonly received: Said;
}

export interface Said {
  /** Lines before the body, such as HTTP's. */
  readonly head?: string;
  /** JSON, or text as it is. */
  readonly body: unknown;
}

/** How a call is made by one of the ways. */
export type Way = (order: WayOrder) => Promise<Spoken>;

/** What a caller says of itself, in the words of every wire. */
export function claimOf({ agent }: WayOrder): { agent_id: string; request_id: string } {
  return { agent_id: agent.agentId, request_id: agent.requestId };
}

/** As text for a person: indented, without secrets, and not too long. */
export function shownText({ head, body }: Said, redactor: Redactor | undefined): string {
  const clean = redactor?.value(body) ?? body;
  const text =
    typeof clean === "string"
      ? boundedText(clean, mostShown)
      : JSON.stringify(JSON.parse(boundedJson(clean ?? null, mostShown)), null, 2);
  return head === undefined ? text : `${redactor?.text(head) ?? head}\n\n${text}`;
}

const mostShown = 64_000;

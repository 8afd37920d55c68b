import type { AgentContext } from "../tool/call.ts";

/** How a call that a person makes here says who it is from. Its request id is its own, so that it can be found again. */
export function pageAgent(): AgentContext {
  return Object.freeze({
    agentId: pageName,
    model: undefined,
    requestId: `page-${crypto.randomUUID()}`,
    metadata: nothing,
  });
}

export const pageName = "page";

const nothing: AgentContext["metadata"] = Object.freeze({});

import type { AgentContext } from "@biplane/core";

/** The agent context of calls made by a person. The unique request id identifies the call afterwards. */
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

import type { CallFacts } from "../../../packages/core/src/call/rules/pattern.ts";

/** A Monday morning's refund by default. */
export function facts(some: Partial<CallFacts> = {}): CallFacts {
  return {
    tool: "refund_order",
    input: { amount: 500, user: { name: "ada", tags: ["new", "vip"] } },
    agent: { agentId: "claude", model: "opus-5" },
    principal: { kind: "token", id: "ada", scopes: ["refunds", "crm:read"] },
    route: "mcp",
    mode: "production",
    now: Date.parse("2026-01-05T09:30:00Z"),
    ...some,
  };
}

import type { AgentContext } from "../tool/call.ts";

/**
 * What a caller says of itself, read with care: unknown things are dropped, long things are cut. `fallbackId` is the
 * name the wire knows it by.
 */
export function agentContext(claim: unknown, fallbackId: string): AgentContext {
  const { agent_id, agentId, model, metadata, request_id, requestId } = isRecord(claim) ? claim : nothing;
  return Object.freeze({
    agentId: short(agent_id) ?? short(agentId) ?? short(fallbackId) ?? "unknown",
    model: short(model),
    requestId: short(request_id) ?? short(requestId) ?? nextRequestId(),
    metadata: isRecord(metadata) ? readMetadata(metadata) : noMetadata,
  });
}

/** Unlike any other's, in this process or another. */
function nextRequestId(): string {
  return `${processTag}-${(++requests).toString(36)}`;
}

const processTag = crypto.randomUUID().slice(0, 13);
let requests = 0;

const nothing: Record<string, unknown> = {};
const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

function readMetadata(metadata: Record<string, unknown>): Record<string, string> {
  const kept = Object.entries(metadata)
    .slice(0, 32)
    .flatMap(([key, value]) => {
      const text = short(value);
      return text === undefined ? [] : [[key.slice(0, 128), text] as const];
    });
  return Object.freeze(Object.fromEntries(kept));
}

function short(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 256) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

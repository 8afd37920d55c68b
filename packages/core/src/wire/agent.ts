import type { Params } from "../protocol/rpc.ts";
import type { AgentContext } from "../tool/call.ts";
import { isRecord } from "../is-record.ts";

/**
 * Reads what a caller claims about itself. Unknown fields are dropped and long strings are cut. `fallbackId` is used
 * when the caller gives no id.
 */
export function agentContext(claim: unknown, fallbackId: string): AgentContext {
  const { agent_id, agentId, model, metadata, request_id, requestId } = isRecord(claim) ? claim : noClaim;
  return Object.freeze({
    agentId: short(agent_id) ?? short(agentId) ?? short(fallbackId) ?? "unknown",
    model: short(model),
    requestId: short(request_id) ?? short(requestId) ?? nextRequestId(),
    metadata: isRecord(metadata) ? readMetadata(metadata) : noMetadata,
  });
}

/** What is wrong with a claim, for protocols that check it strictly. */
export function faultInAgent(claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (!isRecord(claim)) return "agent must be an object.";
  const unknown = Object.keys(claim).find((key) => !agentKeys.includes(key));
  if (unknown !== undefined)
    return `Unknown key ${JSON.stringify(unknown.slice(0, 64))} in agent. Use agent_id, model, request_id and metadata.`;
  const { metadata, ...texts } = claim;
  const [wrong] = Object.entries(texts).find(([, value]) => typeof value !== "string" && value !== null) ?? [];
  if (wrong !== undefined) return `agent.${wrong} must be a string.`;
  if (metadata === undefined || metadata === null) return undefined;
  const isValid = isRecord(metadata) && Object.values(metadata).every((value) => typeof value === "string");
  return isValid ? undefined : "agent.metadata must be an object of strings.";
}

const agentKeys = ["agent_id", "agentId", "model", "request_id", "requestId", "metadata"];

/** Unique across processes. */
function nextRequestId(): string {
  return `${processTag}-${(++requests).toString(36)}`;
}

const processTag = crypto.randomUUID().slice(0, 13);
let requests = 0;

const noClaim: Params = {};
const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

function readMetadata(metadata: Params): Record<string, string> {
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

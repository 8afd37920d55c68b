import { metaKey } from "@biplane/core/internal";
import { pageName } from "../calls/call-agent.ts";
import type { AdminEndpointClient } from "./via-endpoint.ts";
import { agentClaim } from "./via.ts";
import type { WireExchange, ViaRequest } from "./via.ts";

/** Sends `tools/call` in either protocol version to an MCP endpoint, over an in-memory channel. */
export async function overMcp(endpoint: AdminEndpointClient, version: string, call: ViaRequest): Promise<WireExchange> {
  const { ChannelConnection } = await import("@biplane/core/wire");
  const received: string[] = [];
  const channel = {
    send: (message: string | Uint8Array) => void received.push(textOf(message)),
    close: () => undefined,
  };
  const connection = new ChannelConnection(endpoint, channel, { principal: call.principal });
  try {
    const isModern = version === modern;
    if (!isModern) for (const message of handshake(version)) connection.onMessage(JSON.stringify(message));
    const request = requestOf(call, isModern);
    connection.onMessage(JSON.stringify(request));
    await connection.drained();
    const answer = received.map((text) => JSON.parse(text) as { id?: unknown }).find(({ id }) => id === request.id);
    return { sent: { body: request }, received: { body: answer ?? "(nothing: the call was cancelled)" } };
  } finally {
    connection.onClose();
  }
}

const modern = "2026-07-28";
const client = { name: pageName, version: "1" };

function handshake(protocolVersion: string): object[] {
  return [
    {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: client },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ];
}

function requestOf(call: ViaRequest, isModern: boolean) {
  const meta = {
    ...(isModern && {
      [metaKey.protocolVersion]: modern,
      [metaKey.clientInfo]: client,
      [metaKey.clientCapabilities]: {},
    }),
    [metaKey.agent]: agentClaim(call),
    ...(call.episode && { [metaKey.episode]: call.episode.id }),
  };
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: call.tool.name, arguments: call.input, _meta: meta },
  };
}

function textOf(message: string | Uint8Array): string {
  return typeof message === "string" ? message : Buffer.from(message).toString();
}

import { metaKey } from "../../protocol/protocol.ts";
import { pageName } from "../call-agent.ts";
import type { Endpoint } from "./endpoint.ts";
import { claimOf } from "./way.ts";
import type { Spoken, WayOrder } from "./way.ts";

/** A `tools/call` of either era, through the endpoint that all clients speak to, over a pipe of its own. */
export async function overMcp(endpoint: Endpoint, version: string, order: WayOrder): Promise<Spoken> {
  const { ChannelConnection } = await import("../../wire/mcp/channel.ts");
  const received: string[] = [];
  const channel = {
    send: (message: string | Uint8Array) => void received.push(textOf(message)),
    close: () => undefined,
  };
  const connection = new ChannelConnection(endpoint, channel, { principal: order.principal });
  try {
    const isModern = version === modern;
    if (!isModern) for (const message of greetings(version)) connection.onMessage(JSON.stringify(message));
    const request = requestOf(order, isModern);
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

function greetings(protocolVersion: string): object[] {
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

function requestOf(order: WayOrder, isModern: boolean) {
  const meta = {
    ...(isModern && {
      [metaKey.protocolVersion]: modern,
      [metaKey.clientInfo]: client,
      [metaKey.clientCapabilities]: {},
    }),
    [metaKey.agent]: claimOf(order),
    ...(order.episode && { [metaKey.episode]: order.episode.id }),
  };
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: order.tool.name, arguments: order.input, _meta: meta },
  };
}

function textOf(message: string | Uint8Array): string {
  return typeof message === "string" ? message : Buffer.from(message).toString();
}

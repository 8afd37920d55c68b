import { chain } from "../../chain.ts";
import type { Principal } from "../../tool/call.ts";
import { invalidParams } from "./call-tool.ts";
import { asBiplaneError } from "../../errors.ts";
import { plainFaultFor } from "./encode.ts";
import { clientName } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer } from "./exchange.ts";
import { latestLegacy, legacyVersions } from "../../protocol/protocol.ts";
import type { Params } from "../../protocol/rpc.ts";
import { evalProtocolExtra } from "./episode-resolver.ts";
import { McpSession } from "./session.ts";
import { isRecord } from "../../is-record.ts";

/** `initialize` of the legacy era: negotiates the version and creates a session. */
export function initialize(
  endpoint: Endpoint,
  params: Params,
  { principal, deliver }: Connecting,
): Handshake | Promise<Handshake> {
  return chain(endpoint.count({ era: "legacy", principal }), (refused) =>
    refused ? { answer: refused } : open(endpoint, params, { principal, deliver }),
  );
}

function open(endpoint: Endpoint, params: Params, { principal, deliver }: Connecting): Handshake | Promise<Handshake> {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isRecord(capabilities) || !isRecord(clientInfo)) {
    return { answer: invalidParams("initialize needs protocolVersion, capabilities and clientInfo") };
  }
  if (JSON.stringify(capabilities).length > maxCapabilitiesLength) {
    return { answer: invalidParams(`capabilities has more than ${maxCapabilitiesLength} characters`) };
  }
  const version = legacyVersions.includes(protocolVersion) ? protocolVersion : latestLegacy;
  const client = { version, name: clientName(clientInfo), capabilities, logLevel: undefined };
  const session = new McpSession(client, principal, { deliver, newId: endpoint.newSessionId });
  // Production has no trainers, who alone may choose seed and config.
  session.extra = endpoint.server.mode === "simulation" ? evalProtocolExtra(clientInfo) : undefined;
  const refuse = (error: unknown) => ({ answer: { fault: plainFaultFor("legacy", asBiplaneError(error)) } });
  try {
    const opening = endpoint.resolver?.open(session);
    return opening ? opening.then(() => accept(endpoint, session), refuse) : accept(endpoint, session);
  } catch (error) {
    return refuse(error);
  }
}

interface Connecting {
  readonly principal: Principal;
  /** Sends messages that belong to no request. */
  readonly deliver: (message: string) => void;
}

export interface Handshake {
  readonly session?: McpSession;
  readonly answer: McpAnswer;
}

function accept(endpoint: Endpoint, session: McpSession): Handshake {
  endpoint.sessions.add(session);
  const result = {
    protocolVersion: session.client.version,
    capabilities: endpoint.capabilities("legacy"),
    serverInfo: endpoint.encoder.serverInfo,
    ...endpoint.instructions,
  };
  return { session, answer: { result: endpoint.encoder.result("legacy", result) } };
}

/** Sessions keep the capabilities of their client. */
export const maxCapabilitiesLength = 16 * 1024;

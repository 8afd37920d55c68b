import type { Principal } from "../../tool/call.ts";
import { invalidParams } from "./call-tool.ts";
import { clientName } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer } from "./exchange.ts";
import { latestLegacy, legacyVersions } from "../../protocol/protocol.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";
import { Session } from "./session.ts";

/** The older era's opening: agrees on a revision and makes a session. */
export function initialize(
  endpoint: Endpoint,
  params: Params,
  principal: Principal,
  deliver: (message: string) => void,
): { session?: Session; answer: Answer } {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isObject(capabilities) || !isObject(clientInfo)) {
    return { answer: invalidParams("initialize needs protocolVersion, capabilities and clientInfo") };
  }
  const version = legacyVersions.includes(protocolVersion) ? protocolVersion : latestLegacy;
  const client = { version, name: clientName(clientInfo), capabilities, logLevel: undefined };
  const session = new Session(client, principal, deliver);
  endpoint.sessions.add(session);
  // Seeds and configs are a trainer's to choose, and in production there is none.
  endpoint.seating?.open(session, endpoint.server.mode === "simulation" ? clientInfo["_extra"] : undefined);
  const result = {
    protocolVersion: version,
    capabilities: endpoint.capabilities("legacy"),
    serverInfo: endpoint.encoder.serverInfo,
    ...endpoint.instructions,
  };
  return { session, answer: { result: endpoint.encoder.result("legacy", result) } };
}

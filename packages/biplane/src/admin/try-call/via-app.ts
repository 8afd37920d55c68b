import { LiveCall } from "@biplane/core/internal";
import type { AdminEndpointClient } from "./via-endpoint.ts";
import type { WireExchange, ViaRequest } from "./via.ts";

/** A call as an app's page makes it through its host. */
export async function overApp(endpoint: AdminEndpointClient, via: ViaRequest): Promise<WireExchange> {
  const { server, tool, input, agent, principal, episode } = via;
  const call = new LiveCall({
    tool: tool.name,
    input,
    route: "app",
    agent,
    principal,
    scope: episode?.asScope,
    patienceMs: 0,
  });
  const outcome = await server.perform(call);
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool.name, arguments: input } };
  if (outcome.status === "suspended")
    return { sent: { body: request }, received: { body: "(the tool asks questions)" } };
  const { answerMessage } = await import("@biplane/core/wire");
  const answer = answerMessage(1, endpoint.encoder.call("modern", outcome, tool.output?.json));
  return {
    sent: { body: request },
    received: { body: answer === undefined ? "(nothing: the call was cancelled)" : (JSON.parse(answer) as unknown) },
  };
}

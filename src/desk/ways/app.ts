import { LiveCall } from "../../call/live-call.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Spoken, WayOrder } from "./way.ts";

/** A call as the page of an app makes it: its host takes it down the path and gives the result back. */
export async function overApp(endpoint: Endpoint, order: WayOrder): Promise<Spoken> {
  const { server, tool, input, agent, principal, episode } = order;
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
  const { answerMessage } = await import("../../wire/mcp/exchange.ts");
  const answer = answerMessage(1, endpoint.encoder.call("modern", outcome, tool.output?.json));
  return {
    sent: { body: request },
    received: { body: answer === undefined ? "(nothing: the call was cancelled)" : (JSON.parse(answer) as unknown) },
  };
}

import { postInProcess } from "./via-http.ts";
import { agentClaim } from "./via.ts";
import type { Via } from "./via.ts";

/** Calls the tool with one POST. */
export const overExecute: Via = async (call) => {
  const { executeTool } = await import("@biplane/core/wire");
  const { server, tool, input, principal, episode, base } = call;
  const path = `${base}/mcp/execute`;
  const body = {
    tool: tool.name,
    arguments: input,
    agent: agentClaim(call),
    ...(episode && { episode: episode.id }),
  };
  const answer = await postInProcess(path, JSON.stringify(body), (request, response) =>
    executeTool(server, { request, response, principal, maxBodyBytes: Infinity, scopeOf: episode?.asScope }),
  );
  return {
    sent: { head: `POST ${path}\ncontent-type: application/json`, body },
    received: { head: answer.head, body: JSON.parse(answer.body) as unknown },
  };
};

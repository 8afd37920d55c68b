import { postInProcess } from "./http.ts";
import { claimOf } from "./way.ts";
import type { Way } from "./way.ts";

/** A call as one POST. */
export const overExecute: Way = async (order) => {
  const { execute } = await import("../../wire/execute/execute.ts");
  const { server, tool, input, principal, episode, base } = order;
  const path = `${base}/mcp/execute`;
  const body = {
    tool: tool.name,
    arguments: input,
    agent: claimOf(order),
    ...(episode && { episode: episode.id }),
  };
  const answer = await postInProcess(path, JSON.stringify(body), (request, response) =>
    execute(server, request, response, { principal, maxBodyBytes: Infinity, scopeOf: episode?.asScope }),
  );
  return {
    sent: { head: `POST ${path}\ncontent-type: application/json`, body },
    received: { head: answer.head, body: JSON.parse(answer.body) as unknown },
  };
};

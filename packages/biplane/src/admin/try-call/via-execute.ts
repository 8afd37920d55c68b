import { agentClaim } from "./via.ts";
import type { Via } from "./via.ts";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";

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

interface HttpAnswer {
  /** Status line and headers. */
  readonly head: string;
  readonly body: string;
}

/** Sends one JSON POST to a handler in process, without a port. */
function postInProcess(
  path: string,
  body: string,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpAnswer> {
  const request = new IncomingMessage(new Socket());
  request.method = "POST";
  request.url = path;
  request.headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  const response = new ServerResponse(request);
  return new Promise((resolve, reject) => {
    const written: Buffer[] = [];
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        written.push(chunk);
        done();
      },
    });
    response.assignSocket(socket as unknown as Socket);
    response.once("finish", () => resolve(readAnswer(Buffer.concat(written).toString())));
    response.once("error", reject);
    handler(request, response);
    request.push(body);
    request.push(null);
  });
}

function readAnswer(text: string): HttpAnswer {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end).split("\r\n");
  const isRelevant = (line: string) => !/^(date|connection|keep-alive):/i.test(line);
  return { head: head.filter(isRelevant).join("\n"), body: text.slice(end + 4) };
}

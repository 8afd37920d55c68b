import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";

export interface HttpAnswer {
  /** The first line and the headers, as they would go over the wire. */
  readonly head: string;
  readonly body: string;
}

/** One POST of JSON to a door of ours, without a port in between. Gives what the door wrote. */
export function postInProcess(
  path: string,
  body: string,
  door: (request: IncomingMessage, response: ServerResponse) => void,
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
    door(request, response);
    request.push(body);
    request.push(null);
  });
}

function readAnswer(text: string): HttpAnswer {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end).split("\r\n");
  const isOfNote = (line: string) => !/^(date|connection|keep-alive):/i.test(line);
  return { head: head.filter(isOfNote).join("\n"), body: text.slice(end + 4) };
}

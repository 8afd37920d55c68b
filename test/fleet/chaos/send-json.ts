import { request } from "node:http";
import type { Json } from "../../wire/endpoints.ts";

export interface SendOptions {
  readonly body?: object;
  readonly key?: string;
}

/**
 * One request on a connection of its own, to the next server. Rejects if the server dies before it has answered, or
 * says that it cannot answer now.
 */
export function sendJson(method: string, url: string, { body, key }: SendOptions = {}): Promise<Json> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("aborted", () => reject(new Error("The server died.")));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode === 429 || statusCode >= 500) return reject(new Error(`${statusCode} ${text}`));
        try {
          resolve(JSON.parse(text) as Json);
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { BiplaneError } from "../../errors.ts";

export interface HttpClientRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpClientResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An HTTP client with keep-alive connections, for the many small requests to a server of environments. */
export class HttpClient {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });
  #users = 1;

  /** Counts another user. Each user calls the returned function once; the last one closes the connections. */
  share(): () => void {
    this.#users++;
    let isUsed = true;
    return () => {
      if (isUsed) this.close();
      isUsed = false;
    };
  }

  send({ method, url, headers, body, timeoutMs, signal }: HttpClientRequest): Promise<HttpClientResponse> {
    return new Promise((resolve, reject) => {
      const isSecure = url.startsWith("https:");
      const agent = isSecure ? this.#https : this.#http;
      const more =
        body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const request = (isSecure ? httpsRequest : httpRequest)(url, { method, agent, headers: { ...headers, ...more } });
      const fail = (error: Error) => {
        finish();
        request.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(new BiplaneError("TIMEOUT", `Timed out after ${timeoutMs} ms.`)), timeoutMs);
      const onAbort = () => fail(new BiplaneError("CANCELLED", "The request was cancelled."));
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      if (signal?.aborted) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      request.on("error", fail);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("error", fail);
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > maxBytes)
            fail(new BiplaneError("EXECUTION_ERROR", `The response of ${url} has more than ${maxBytes} bytes.`));
        });
        response.on("end", () => {
          finish();
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, headers: answered, text: Buffer.concat(chunks).toString() });
        });
      });
      request.end(body);
    });
  }

  close(): void {
    if (--this.#users > 0) return;
    this.#http.destroy();
    this.#https.destroy();
  }
}

const maxBytes = 64 * 1024 * 1024;

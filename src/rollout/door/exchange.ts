import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { BiplaneError } from "../../errors.ts";

export interface HttpQuestion {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
}

/** Asks over HTTP, on connections that are kept. Made for the many small questions of a control plane. */
export class HttpLine {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });

  ask({ method, url, headers, body, timeoutMs, signal }: HttpQuestion): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const isSecure = url.startsWith("https:");
      const agent = isSecure ? this.#https : this.#http;
      const more =
        body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const request = (isSecure ? httpsRequest : httpRequest)(url, { method, agent, headers: { ...headers, ...more } });
      const giveUp = (error: Error) => {
        finish();
        request.destroy();
        reject(error);
      };
      const timer = setTimeout(
        () => giveUp(new BiplaneError("TIMEOUT", `no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const onAbort = () => giveUp(new BiplaneError("CANCELLED", "cancelled"));
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      request.on("error", giveUp);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("error", giveUp);
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > mostBytes)
            giveUp(new BiplaneError("EXECUTION_ERROR", `the answer has more than ${mostBytes} bytes`));
        });
        response.on("end", () => {
          finish();
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

const mostBytes = 64 * 1024 * 1024;

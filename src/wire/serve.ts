import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Server } from "../server/server.ts";
import { serveHttp } from "./serve-http.ts";
import { serveStdio } from "./serve-stdio.ts";

/** Puts a server on a wire. */
export async function serve(server: Server, options: ServeOptions): Promise<Listening> {
  const { url = "http://127.0.0.1:8000" } = options;
  if (url === "stdio") return serveStdio(server, options);
  if (/^(http|ws):\/\//.test(url)) return serveHttp(server, url, options);
  throw new BiplaneError("INVALID_DEFINITION", `cannot serve on ${url}; use stdio, http://host:port or ws://host:port`);
}

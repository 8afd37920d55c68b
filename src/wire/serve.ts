import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import { checkServed } from "./start-rules.ts";
import type { Served } from "./wing.ts";

/** Puts servers and environments on a wire: the first at the root, each of several also under `/env/<name>/`. */
export async function serve(served: Served | readonly Served[], options: ServeOptions): Promise<Listening> {
  const all = Array.isArray(served) ? (served as readonly Served[]) : [served as Served];
  checkServed(all);
  const { url = "http://127.0.0.1:8000" } = options;
  if (url === "stdio") return (await import("./serve-stdio.ts")).serveStdio(all, options);
  if (/^(http|ws):\/\//.test(url)) return (await import("./serve-http.ts")).serveHttp(all, url, options);
  throw new BiplaneError("INVALID_DEFINITION", `cannot serve on ${url}; use stdio, http://host:port or ws://host:port`);
}

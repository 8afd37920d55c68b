import { BiplaneError } from "../errors.ts";
import { serveOptionNames } from "../server/listening.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import { checkOptions } from "../tool/check-options.ts";
import { checkServed } from "./check-served.ts";
import type { Served } from "../environment/served.ts";

/** Serves servers and environments: the first at the root, each also under `/env/<name>/`. */
export async function serve(served: Served | readonly Served[], options: ServeOptions): Promise<Listening> {
  const all = Array.isArray(served) ? (served as readonly Served[]) : [served as Served];
  checkOptions("serve()", options, serveOptionNames);
  checkServed(all);
  const { url = "http://127.0.0.1:8000" } = options;
  if (url === "stdio") return (await import("./serve-stdio.ts")).serveStdio(all, options);
  if (/^(http|ws):\/\//.test(url)) return (await import("./serve-http.ts")).serveHttp(all, url, options);
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `Cannot serve on ${url}. Use stdio, http://host:port or ws://host:port.`,
  );
}

import type { ServerResponse } from "node:http";
import { LocalSite } from "../../pack/net/local-site.ts";

/** What the outside says next, whichever service is asked: its body, its type and its status. */
export interface Said {
  readonly body: string | Buffer;
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A web site, GitHub, chat services and calendars in one, which answer whatever the test sets. */
export async function openPackSite(): Promise<{ site: LocalSite; say: (said: Said) => void }> {
  let said: Said = { body: "{}" };
  const site = await LocalSite.open(({ url }, response: ServerResponse) => {
    if (url === "/robots.txt") return response.writeHead(404).end();
    const { body, type = "application/json", status = 200, headers = {} } = said;
    return response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers }).end(body);
  });
  return { site, say: (next) => void (said = next) };
}

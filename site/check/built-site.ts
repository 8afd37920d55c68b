import { createServer } from "node:http";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const folder = join(import.meta.dirname, "..", "dist");

/** The pages of the built site, by path from its root without `.html`. */
export function readPages(): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => name.endsWith(".html"))
      .map((name) => [name.replace(/(^|\/)index\.html$|\.html$/, "$1"), readFileSync(join(folder, name), "utf8")]),
  );
}

export function isInSite(path: string): boolean {
  return existsSync(join(folder, path));
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

/** Serves the built site on loopback, as a static host does: `/tour` is `tour.html`. */
export async function serveSite(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(new URL(url, "http://site").pathname);
    const found = [path, `${path}.html`, join(path, "index.html")].find((each) => extname(each) && isInSite(each));
    const file = found ?? "/404.html";
    response.writeHead(found === undefined ? 404 : 200, { "content-type": types[extname(file)] ?? "text/plain" });
    response.end(readFileSync(join(folder, file)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

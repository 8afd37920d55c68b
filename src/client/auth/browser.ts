import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BiplaneError } from "../../errors.ts";

/** A place on this machine where a browser comes back to after somebody has agreed, or not. */
export interface Landing extends AsyncDisposable {
  readonly url: string;
  /** The address with which it came back. */
  wait(patienceMs: number): Promise<URL>;
}

/** Opens a landing, at the address that was used before if that is free. */
export async function openLanding(wanted: string | undefined): Promise<Landing> {
  const { hostname, port, pathname } = new URL(wanted ?? "http://127.0.0.1:0/callback");
  const server = createServer();
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at, hostname, resolve);
    });
  await listen(Number(port)).catch(() => listen(0));
  const url = `http://${hostname}:${(server.address() as AddressInfo).port}${pathname}`;
  let timer: NodeJS.Timeout | undefined;
  const arrived = new Promise<URL>((resolve) => {
    server.on("request", (request, response) => {
      const at = new URL(request.url ?? "/", url);
      const isIt = at.pathname === pathname && (at.searchParams.has("code") || at.searchParams.has("error"));
      response.writeHead(isIt ? 200 : 404, { "content-type": "text/plain", connection: "close" });
      response.end(isIt ? "Thank you. You can close this page and go back to your program." : "Nothing is here.");
      if (isIt) resolve(at);
    });
  });
  return {
    url,
    wait: (patienceMs) =>
      Promise.race([
        arrived,
        new Promise<never>((_, reject) => {
          const late = new BiplaneError("TIMEOUT", `nobody agreed in the browser within ${patienceMs} ms`);
          timer = setTimeout(() => reject(late), patienceMs);
        }),
      ]),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Opens a page in the person's browser, and writes its address down in case there is none. */
export function openBrowser(url: URL): void {
  process.stderr.write(`To let this program in, open ${url.href}\n`);
  const [command, ...words] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command as string, [...words, url.href], { stdio: "ignore", detached: true });
  child.on("error", () => undefined); // the address has been written down
  child.unref();
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

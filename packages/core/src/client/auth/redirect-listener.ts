import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BiplaneError } from "../../errors.ts";

/** A local HTTP server that receives the OAuth redirect. */
export interface RedirectListener extends AsyncDisposable {
  readonly url: string;
  /** Resolves to the URL of the redirect. */
  wait(patienceMs: number): Promise<URL>;
}

/** Listens at the preferred address, or at a free port if it is taken. */
export async function listenForRedirect(preferred: string | undefined): Promise<RedirectListener> {
  const { hostname, port, pathname } = new URL(preferred ?? "http://127.0.0.1:0/callback");
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
      const isRedirect = at.pathname === pathname && (at.searchParams.has("code") || at.searchParams.has("error"));
      response.writeHead(isRedirect ? 200 : 404, { "content-type": "text/plain", connection: "close" });
      response.end(isRedirect ? "Done. You can close this page and return to your program." : "Not found.");
      if (isRedirect) resolve(at);
    });
  });
  return {
    url,
    wait: (patienceMs) =>
      Promise.race([
        arrived,
        new Promise<never>((_, reject) => {
          const late = new BiplaneError(
            "TIMEOUT",
            `The authorization in the browser timed out after ${patienceMs} ms.`,
          );
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

/** Opens the page in the default browser, and prints its address in case there is none. */
export function openBrowser(url: URL): void {
  process.stderr.write(`To authorize this program, open ${url.href}\n`);
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command as string, [...args, url.href], { stdio: "ignore", detached: true });
  child.on("error", () => undefined); // the address has been printed
  child.unref();
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

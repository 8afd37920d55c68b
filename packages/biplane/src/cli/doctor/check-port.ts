import { createServer } from "node:net";
import type { Finding } from "./finding.ts";
import { note, ok, failure } from "./finding.ts";

/** Checks that the address is free. If not, tells whether Biplane or another program uses it. */
export async function checkPort(listen: string): Promise<Finding> {
  if (listen === "stdio") return ok("address", "stdio needs no port");
  const { hostname, port, protocol } = new URL(listen);
  const number = port === "" ? 80 : Number(port);
  const fault = await tryToListen(hostname.replaceAll(/[[\]]/g, ""), number);
  switch (fault) {
    case undefined:
      return ok("address", `${listen} is free`);
    case "EACCES":
      return failure(
        "address",
        `no permission to listen on ${listen}`,
        "use a port above 1023: --url http://127.0.0.1:8000",
      );
    case "EADDRINUSE":
      return inUse(
        listen,
        `${protocol === "ws:" ? "http:" : protocol}//${hostname === "0.0.0.0" ? "127.0.0.1" : hostname}:${number}`,
      );
    default:
      return failure(
        "address",
        `listening on ${listen} failed (${fault})`,
        "use an address of this machine: --url http://127.0.0.1:8000",
      );
  }
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function inUse(listen: string, url: string): Promise<Finding> {
  if (await isBiplane(url))
    return note(
      "address",
      `Biplane is already running at ${listen}`,
      "use it, or another port: --url http://127.0.0.1:0",
    );
  return failure("address", `another program uses ${listen}`, "stop it, or use another port: --url http://127.0.0.1:0");
}

async function isBiplane(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1500), redirect: "manual" });
    const isUp = (await response.text()) === '{"status":"ok"}';
    if (!isUp) return false;
    const tools = await fetch(`${url}/mcp/capabilities`, { signal: AbortSignal.timeout(1500), redirect: "manual" });
    return [200, 401].includes(tools.status);
  } catch {
    return false; // not HTTP, or no answer in time
  }
}

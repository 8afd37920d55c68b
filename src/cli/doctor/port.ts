import { createServer } from "node:net";
import type { Finding } from "./finding.ts";
import { note, ok, problem } from "./finding.ts";

/** Whether the address is free, and else who answers there. */
export async function checkPort(listen: string): Promise<Finding> {
  if (listen === "stdio") return ok("address", "standard streams: no port is needed");
  const { hostname, port, protocol } = new URL(listen);
  const number = port === "" ? 80 : Number(port);
  const fault = await tryToListen(hostname.replaceAll(/[[\]]/g, ""), number);
  switch (fault) {
    case undefined:
      return ok("address", `${listen} is free`);
    case "EACCES":
      return problem(
        "address",
        `${listen} may not be opened by this user`,
        "use a port above 1023: --url http://127.0.0.1:8000",
      );
    case "EADDRINUSE":
      return occupied(
        listen,
        `${protocol === "ws:" ? "http:" : protocol}//${hostname === "0.0.0.0" ? "127.0.0.1" : hostname}:${number}`,
      );
    default:
      return problem(
        "address",
        `${listen} cannot be opened (${fault})`,
        "name an address of this machine: --url http://127.0.0.1:8000",
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

async function occupied(listen: string, url: string): Promise<Finding> {
  if (await isBiplane(url))
    return note("address", `Biplane answers at ${listen} already`, "use it, or another port: --url http://127.0.0.1:0");
  return problem(
    "address",
    `another program listens at ${listen}`,
    "end it, or use another port: --url http://127.0.0.1:0",
  );
}

async function isBiplane(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1500), redirect: "manual" });
    const isUp = (await response.text()) === '{"status":"ok"}';
    if (!isUp) return false;
    const tools = await fetch(`${url}/mcp/capabilities`, { signal: AbortSignal.timeout(1500), redirect: "manual" });
    return [200, 401].includes(tools.status);
  } catch {
    return false; // whatever it is, it does not speak as we do
  }
}

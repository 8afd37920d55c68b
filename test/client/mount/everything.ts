import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

/** The reference server that has everything, as a program to start. */
export const everything = { command: process.execPath, args: [file, "stdio"] };

/** The same over HTTP, in a process of its own. */
export async function everythingOverHttp(): Promise<{ url: string; process: ChildProcess } & AsyncDisposable> {
  const port = await freePort();
  const child = spawn(process.execPath, [file, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Its standard error stays open: it dies where it cannot complain.
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk) => /listening/i.test(String(chunk)) && resolve());
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

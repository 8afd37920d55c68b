import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { freePort } from "../../test/support/free-port.ts";

/** The version of OpenEnv that ours is compared with. */
export const openEnvVersion = "0.3.1";

/** A server of environments in its own process. */
export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly lines?: Interface;
}

export async function startOurs(kind: string): Promise<RunningServer> {
  const file = join(import.meta.dirname, "biplane-server.mjs");
  const child = spawn(process.execPath, [file, kind], { stdio: ["pipe", "pipe", "inherit"] });
  process.once("exit", () => child.kill());
  const lines = createInterface(child.stdout);
  const [url] = (await once(lines, "line")) as [string];
  return { url, child, lines };
}

/** OpenEnv's own server. Needs `installOpenEnv`. */
export async function startOpenEnv(kind: string): Promise<RunningServer> {
  const port = await freePort();
  const file = join(import.meta.dirname, "openenv_server.py");
  const child = spawn(python, [file, kind, String(port)], { stdio: ["ignore", "ignore", "inherit"] });
  process.once("exit", () => child.kill());
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300; tries++) {
    const isUp = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { url, child };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("OpenEnv's server did not start");
}

/** Returns false if it cannot be fetched. */
export function installOpenEnv(): boolean {
  if (existsSync(join(venv, "ready"))) return true;
  try {
    execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
    execFileSync(python, ["-m", "pip", "install", "--quiet", `openenv==${openEnvVersion}`], { stdio: "inherit" });
    execFileSync("touch", [join(venv, "ready")]);
    return true;
  } catch {
    process.stderr.write("OpenEnv could not be fetched from PyPI; only ours is measured\n");
    return false;
  }
}

const venv = join(import.meta.dirname, "../../.cache", `bench-openenv-${openEnvVersion}`);
const python = join(venv, "bin", "python");

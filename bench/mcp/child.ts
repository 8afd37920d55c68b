import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentOf } from "./resident.ts";

/**
 * A server under test in its own process: a module for Node, or an executable that speaks on Node's channel. Its
 * temporary files are deleted when it has ended.
 */
export class Child {
  readonly port: number;
  readonly #process: ChildProcess;

  /** Starts a server and waits until it listens. */
  static async start(file: string, args: readonly string[]): Promise<Child> {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const folder = mkdtempSync(join(tmpdir(), "biplane-bench-"));
    const env = { ...inherited, TMPDIR: folder };
    const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
    const child = file.endsWith(".mjs")
      ? fork(file, [...args], { execArgv: [], env, stdio: [...stdio] })
      : spawn(file, args, { env, stdio: [...stdio] });
    child.once("close", () => rmSync(folder, { recursive: true, force: true }));
    let complaint = "";
    child.stderr?.on("data", (text: Buffer) => (complaint = `${complaint}${text.toString()}`.slice(-2000)));
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`it did not listen within 20 s. ${complaint}`)), 20_000);
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`it ended with code ${code}. ${complaint}`)));
      child.once("message", (message: { port: number }) => {
        clearTimeout(timer);
        resolve(message.port);
      });
    }).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    return new Child(child, port);
  }

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  /** CPU time used so far, user and system, in microseconds. */
  cpuMicroseconds(): Promise<number> {
    return new Promise((resolve) => {
      this.#process.once("message", ({ cpu }: { cpu: NodeJS.CpuUsage }) => resolve(cpu.user + cpu.system));
      this.#process.send("cpu");
    });
  }

  /** Memory of the process, after a collection of garbage if it is Node's. Only that has a known heap. */
  memory(): Promise<{ rss: number; heapUsed: number | undefined }> {
    return new Promise((resolve) => {
      const answer = ({ rss = residentOf(this.#process.pid), heapUsed }: { rss?: number; heapUsed?: number }) =>
        resolve({ rss, heapUsed });
      this.#process.once("message", answer);
      this.#process.send("memory");
    });
  }

  stop(): void {
    this.#process.kill();
  }
}

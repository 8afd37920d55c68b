import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { RpcMailbox } from "./rpc-mailbox.ts";
import { within } from "./within.ts";
import { bundledScript } from "./bundled-script.ts";

/** How to start the fixture as a process. */
export const stdioServer = {
  command: process.execPath,
  args: [bundledScript(new URL("stdio-server.ts", import.meta.url))],
};

/** The fixture as a process, spoken to over its standard streams. */
export class Child {
  readonly mailbox = new RpcMailbox();
  readonly exit: Promise<number | null>;
  readonly #process: ChildProcessWithoutNullStreams;

  constructor(environment: Record<string, string>) {
    const { command, args } = stdioServer;
    this.#process = spawn(command, args, { env: { ...process.env, ...environment } });
    createInterface({ input: this.#process.stdout }).on("line", (line) => this.mailbox.put(line));
    this.#process.stderr.resume();
    this.exit = new Promise((resolve) => this.#process.once("exit", resolve));
  }

  static async start(environment: Record<string, string>): Promise<Child> {
    const child = new Child(environment);
    child.write('{"jsonrpc":"2.0","id":"started","method":"ping"}\n');
    await within(
      50_000,
      "the start of the process",
      new Promise((resolve) => child.#process.stdout.once("data", resolve)),
    );
    await child.mailbox.take("started");
    return child;
  }

  write(data: string | Buffer): void {
    this.#process.stdin.write(data);
  }

  end(): void {
    this.#process.stdin.end();
  }

  kill(): void {
    this.#process.kill();
  }
}

import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { addPerson } from "../../support/add-person.ts";
import { bundledScript } from "../../support/bundled-script.ts";
import { program } from "../../support/project.ts";
import type { MeterRequest } from "./held-server-meter.ts";

/** CPU time of the calibration on the machine for which the limits are meant, in milliseconds. */
const calibrationMs = 40;

export interface HeldServerOptions {
  /** The lines of `biplane.yaml`, without those that every server here has. */
  readonly config: (folder: string) => string | Promise<string>;
  /** Files by path, written before the start. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The built program in a process of its own, and how long requests hold its event loop. */
export class HeldServer implements AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  /** The token of a person, for the admin API. */
  readonly person: string;
  /** How much slower this machine is than the one for which the limits are meant, at least 1. */
  readonly factor: number;
  readonly #process: ChildProcess;
  readonly #log: string[];

  private constructor(
    at: Pick<HeldServer, "url" | "folder" | "person" | "factor">,
    process: ChildProcess,
    log: string[],
  ) {
    this.url = at.url;
    this.folder = at.folder;
    this.person = at.person;
    this.factor = at.factor;
    this.#process = process;
    this.#log = log;
  }

  static async start({ config, files = {}, environment = {} }: HeldServerOptions): Promise<HeldServer> {
    const folder = await mkdtemp(join(tmpdir(), "biplane-held-"));
    for (const [path, content] of Object.entries(files)) await write(join(folder, path), content);
    const own = "name: held\nlisten: http://127.0.0.1:0\nstore: ./held.db\nlimits: false\nlogging: { level: error }\n";
    await write(join(folder, "biplane.yaml"), own + (await config(folder)));
    const person = await addPerson(join(folder, "held.db"));
    const meter = bundledScript(new URL("./held-server-meter.ts", import.meta.url), []);
    const server = fork(program, ["serve"], {
      cwd: folder,
      env: { ...process.env, ...environment },
      execArgv: ["--import", meter],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const log: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      let found = "";
      createInterface(server.stderr as NodeJS.ReadableStream).on("line", (line) => {
        if (log.length < 1000) log.push(line);
        found ||= /(http:\/\/[\d.:]+)\/mcp/.exec(line)?.[1] ?? "";
        if (line.includes("Stop with")) resolve(found);
      });
      server.once("exit", () => reject(new Error(log.join("\n"))));
    });
    const factor = Math.max(1, (await ask(server, "calibrate")) / calibrationMs);
    return new HeldServer({ url, folder, person, factor }, server, log);
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** What it wrote to standard error, at most 1,000 lines. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** The longest CPU time for which `work` holds the event loop, in milliseconds. */
  async held(work: () => Promise<unknown>): Promise<number> {
    await ask(this.#process, "start");
    await work();
    return ask(this.#process, "read");
  }

  write(path: string, content: string | Buffer): Promise<void> {
    return write(join(this.folder, path), content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isAlive) {
      this.#process.kill("SIGKILL");
      await once(this.#process, "exit");
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Throws if the server has ended. */
function ask(server: ChildProcess, request: MeterRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("The server has ended."));
    server.once("exit", onExit);
    server.once("message", (answer) => {
      server.off("exit", onExit);
      resolve(answer as number);
    });
    server.send(request, (error) => error && reject(error));
  });
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

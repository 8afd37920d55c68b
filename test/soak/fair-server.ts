import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { addPerson } from "../support/add-person.ts";
import { program } from "../support/project.ts";
import { honest, hostile, tokenOf } from "./principals.ts";

const library = fileURLToPath(new URL("../../packages/biplane/dist/index.js", import.meta.url));

const kit = `import { server, tool } from ${JSON.stringify(library)};
const input = { type: "object", properties: { text: { type: "string" } } };
export default server({ name: "kit", version: "1", tools: {
  say: tool({ input, run: ({ text }) => text }),
  refund: tool({ input, run: ({ text }) => "refunded " + text }),
} });
`;

const isSoak = process.env["BIPLANE_SOAK"] === "1";

/** In the soak, the limits are the defaults; else endless code ends sooner. The hostile one is an agent: trainers can end each other's episodes anyway. */
function config(): string {
  const token = (id: string, kind: string) => `    - { id: ${id}, kind: ${kind}, token: ${tokenOf(id)} }`;
  const tokens = [...honest.map((id) => token(id, "trainer")), token(hostile, "token")];
  return `name: soak
listen: http://127.0.0.1:0
servers: [./kit.mjs]
environments: [echo]
packs:
  workspace: { root: ./workspace }
  memory: { root: ./memory }
  vault: { root: ./vault }
  calendar: { calendars: [{ name: team, file: ./team.ics }, { name: shared, file: ./workspace/shared.ics }] }
code: { languages: [javascript, python, starlark]${isSoak ? "" : ", limits: { cpuMs: 300 }"} }
store: ./soak.db
logging: { level: warn, format: json }
policies:
  - { tool: refund, ask: "Refund {arguments.text}?" }
  - { tool: "*", allow: true }
auth:
  tokens:
${tokens.join("\n")}
`;
}

const team = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1
DTSTART:20260105T090000Z
DTEND:20260105T100000Z
RRULE:FREQ=DAILY
SUMMARY:Standup
END:VEVENT
END:VCALENDAR
`;

/** `biplane serve` as it is built, in a process of its own, with a token for each of four principals. */
export class FairServer {
  readonly url: string;
  /** The token of a person, who answers approvals. */
  readonly person: string;
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #log: string[];

  private constructor(options: Pick<FairServer, "url" | "person" | "folder">, child: ChildProcess, log: string[]) {
    this.url = options.url;
    this.person = options.person;
    this.folder = options.folder;
    this.#child = child;
    this.#log = log;
  }

  static async start(): Promise<FairServer> {
    const folder = await mkdtemp(join(tmpdir(), "biplane-soak-"));
    for (const name of ["workspace", "memory", "vault"]) await mkdir(join(folder, name));
    await writeFile(join(folder, "kit.mjs"), kit);
    await writeFile(join(folder, "team.ics"), team);
    await writeFile(join(folder, "workspace", "shared.ics"), team);
    await writeFile(join(folder, "biplane.yaml"), config());
    const person = await addPerson(join(folder, "soak.db"));
    const child = spawn(process.execPath, [program, "serve"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, MALLOC_ARENA_MAX: "2" }, // as images and units set it
    });
    const log: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      let found = "";
      createInterface(child.stderr).on("line", (line) => {
        if (log.length < 1000) log.push(line);
        found ||= /(http:\/\/[\d.:]+)\/mcp/.exec(line)?.[1] ?? "";
        if (line.includes("Stop with")) resolve(found);
      });
      child.once("exit", () => reject(new Error(log.join("\n"))));
    });
    return new FairServer({ url, person, folder }, child, log);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it wrote to standard error, at most 1,000 lines. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** Resident memory in megabytes, where the system tells it. */
  async memory(): Promise<number | undefined> {
    if (process.platform !== "linux") return undefined;
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Ends it as an operator does, so that everything is written. */
  async stop(): Promise<number | null> {
    if (!this.isAlive) return this.#child.exitCode;
    this.#child.kill("SIGTERM");
    const [code] = (await once(this.#child, "exit")) as [number | null];
    return code;
  }

  async remove(): Promise<void> {
    if (this.isAlive) this.#child.kill("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }
}

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../cli/command.ts";
import { freePort } from "../support/free-port.ts";
import { linkPackages, program, runToEnd } from "../support/project.ts";
import { within } from "../support/within.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let home: string;
let folder: string;
let port: number;
let running: ChildProcess | undefined;

/**
 * Follows a document command by command, with a clone of the repository beside its projects. Of a `console` block, lines
 * after `$ ` are typed and the others must come out in this order, where `…` is anything. A `console server` block stays
 * up until the next one. A `yaml` block goes to the end of the file that its first line names, a `ts file` block is that
 * file. In a document of files, the project is there from the beginning.
 */
export function followDocument(name: string, { least }: { readonly least: number }): void {
  const steps = readSteps(readFileSync(join(root, "docs", name), "utf8"));

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "biplane-follow-"));
    folder = home;
    await symlink(root, join(home, "biplane"));
    await mkdir(join(home, ".bin"));
    // What `npx` and `npm install` would do with a registry at hand, and much sooner.
    await tool(
      "npx",
      `name=$1; shift; [ "$name" = biplane ] || exec "node_modules/.bin/$name" "$@"; exec '${process.execPath}' '${program}' "$@"`,
    );
    await tool(
      "npm",
      `if [ "$1" != install ]; then PATH="\${PATH#*:}"; PATH="$PWD/node_modules/.bin:$PATH" exec npm "$@"; fi`,
    );
    port = await freePort();
    if (steps.some((step) => step.kind === "text" && step.isWhole)) await makeProject();
  });
  afterAll(async () => {
    await stop();
    await rm(home, { recursive: true });
  });

  test(`${name} has something to follow`, () => {
    expect(steps.length).toBeGreaterThan(least);
  });

  test.each(steps.map((step) => [step.title, step] as const))("%s", async (_, step) => {
    if (step.kind === "text")
      return step.isWhole ? writeProjectFile(step.file, step.text) : appendFile(join(folder, step.file), step.text);
    const command = atPort(step.command);
    const output =
      step.kind === "server" ? await start(command, atPort(step.expected.at(-1) ?? "")) : await run(command);
    if (step.command === "npm install") await linkPackages(folder);
    else if (step.command.startsWith("npm install ")) await linkPackage(step.command.split(" ").at(-1) ?? "");
    expect({ output, missing: missingIn(output, step.expected.map(atPort)) }).toEqual({ output, missing: undefined });
  });
}

interface TextStep {
  readonly kind: "text";
  readonly title: string;
  readonly file: string;
  readonly text: string;
  /** Whether it is the whole file, or its end. */
  readonly isWhole: boolean;
}

type Step =
  | TextStep
  | {
      readonly kind: "console" | "server";
      readonly title: string;
      readonly command: string;
      readonly expected: string[];
    };

function readSteps(text: string): Step[] {
  const blocks = text.matchAll(/^```(console server|console|yaml|ts file)\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, kind = "", body = ""]): Step[] => {
    if (kind === "yaml") {
      const [, file = ""] = /^# at the end of (\S+)\n/.exec(body) ?? [];
      return [{ kind: "text", title: `${file} is added to`, file, text: body, isWhole: false }];
    }
    if (kind === "ts file") {
      const [, file = ""] = /^\/\/ (\S+)\n/.exec(body) ?? [];
      return [{ kind: "text", title: `${file} is written`, file, text: body, isWhole: true }];
    }
    return body.split(/^\$ /m).flatMap((part): Step[] => {
      if (part === "") return [];
      const lines = part.replace(/\n$/, "").split("\n");
      const more = lines.findIndex((line, at) => at > 0 && !line.startsWith("> "));
      const end = more === -1 ? lines.length : more;
      const command = lines
        .slice(0, end)
        .map((line, at) => (at === 0 ? line : line.slice(2)))
        .join("\n");
      const expected = lines.slice(end).filter((line) => line !== "" && line !== "…");
      return [{ kind: kind === "console" ? "console" : "server", title: `$ ${command}`, command, expected }];
    });
  });
}

/** The first expected line that does not come out after those before it. */
function missingIn(output: string, expected: readonly string[]): string | undefined {
  const lines = output.split("\n");
  let from = 0;
  return expected.find((line) => {
    const pattern = new RegExp(`^${escaped(line.trimEnd())}$`.replaceAll("…", ".*"));
    const at = lines.findIndex((each, index) => index >= from && pattern.test(each.trimEnd()));
    from = at + 1;
    return at === -1;
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/** Commands that load nothing of the project. They run in this process, which is quicker, if they need no shell. */
const quick = /^npx biplane ((?:approvals|audit|call|compare|init|policy|runs|show|tools)(?: [\w ./:=-]+)?)$/;

async function run(command: string): Promise<string> {
  const [, words] = quick.exec(command) ?? [];
  if (words !== undefined) {
    const { code, stdout, stderr } = await runIn(folder, words.split(" "), environment());
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}\n${stderr}`);
    return stderr + stdout;
  }
  const place = join(home, ".place");
  const source = `exec 2>&1\n${command}\nstatus=$?; pwd > '${place}'; exit $status`;
  const { code, stdout } = await runToEnd("sh", ["-c", source], { cwd: folder, env: environment() });
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}`);
  folder = (await readFile(place, "utf8")).trim();
  return stdout;
}

async function start(command: string, last: string): Promise<string> {
  await stop();
  const child = spawn("sh", ["-c", `exec ${command}`], { cwd: folder, env: environment() });
  running = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const isUp = async () => {
    while (!output.includes(last)) await once(child.stderr, "data");
  };
  await within(50_000, "the server", isUp());
  return output;
}

async function stop(): Promise<void> {
  if (!running) return;
  const ended = once(running, "exit");
  running.kill("SIGINT");
  await ended;
  running = undefined;
}

function environment(): NodeJS.ProcessEnv {
  // A vitest that a document starts is not this one.
  const ours = Object.keys(process.env).filter((name) => /^(BIPLANE_SOAK|VITEST|NODE_ENV|FORCE_COLOR)/.test(name));
  return {
    ...process.env,
    ...Object.fromEntries(ours.map((name) => [name, undefined])),
    PATH: `${join(home, ".bin")}:${process.env["PATH"]}`,
    HOME: home,
    NO_COLOR: "1",
    BIPLANE_LISTEN: `http://127.0.0.1:${port}`,
  };
}

function atPort(text: string): string {
  return text.replaceAll("127.0.0.1:8000", `127.0.0.1:${port}`);
}

async function makeProject(): Promise<void> {
  await writeProjectFile("package.json", '{ "type": "module" }\n');
  await linkPackages(folder);
}

async function writeProjectFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

async function linkPackage(name: string): Promise<void> {
  for (const path of [name, join(".bin", name)])
    await symlink(join(root, "node_modules", path), join(folder, "node_modules", path));
}

async function tool(name: string, script: string): Promise<void> {
  await writeFile(join(home, ".bin", name), `#!/bin/sh\n${script}\n`);
  await chmod(join(home, ".bin", name), 0o755);
}

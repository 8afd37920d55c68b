import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkPackages, program, runToEnd } from "../support/project.ts";
import { within } from "../support/within.ts";

/**
 * Follows docs/tour.md command by command. Of a `console` block, lines after `$ ` are typed and the others must come out
 * in this order, where `…` is anything. A `console server` block stays up until the next one. A `yaml` block goes to the
 * file that its first line names.
 */
const steps = readSteps(await readFile(fileURLToPath(new URL("../../docs/tour.md", import.meta.url)), "utf8"));
let home: string;
let folder: string;
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "biplane-tour-"));
  folder = home;
  await mkdir(join(home, ".bin"));
  // What `npx` and `npm install` would do with a registry at hand, and much sooner.
  await tool("npx", `shift; exec '${process.execPath}' '${program}' "$@"`);
  await tool(
    "npm",
    `if [ "$1" != install ]; then PATH="\${PATH#*:}"; PATH="$PWD/node_modules/.bin:$PATH" exec npm "$@"; fi`,
  );
  port = await freePort();
});
afterAll(async () => {
  await stop();
  await rm(home, { recursive: true });
});

test("the tour has something to follow", () => {
  expect(steps.length).toBeGreaterThan(25);
});

test.each(steps.map((step) => [step.title, step] as const))("%s", async (_, step) => {
  if (step.kind === "text") return appendFile(join(folder, step.file), step.text);
  const command = atPort(step.command);
  const output = step.kind === "server" ? await start(command, atPort(step.expected.at(-1) ?? "")) : await run(command);
  if (step.command === "npm install") await linkPackages(folder);
  expect({ output, missing: missingIn(output, step.expected.map(atPort)) }).toEqual({ output, missing: undefined });
});

type Step =
  | { readonly kind: "text"; readonly title: string; readonly file: string; readonly text: string }
  | {
      readonly kind: "console" | "server";
      readonly title: string;
      readonly command: string;
      readonly expected: string[];
    };

function readSteps(text: string): Step[] {
  const blocks = text.matchAll(/^```(console server|console|yaml)\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, kind = "", body = ""]): Step[] => {
    if (kind === "yaml") {
      const [, file = ""] = /^# at the end of (\S+)\n/.exec(body) ?? [];
      return [{ kind: "text", title: `${file} is added to`, file, text: body }];
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

async function run(command: string): Promise<string> {
  const place = join(home, ".place");
  const source = `exec 2>&1\n${command}\nstatus=$?; pwd > '${place}'; exit $status`;
  const { code, stdout } = await runToEnd("bash", ["-c", source], { cwd: folder, env: environment() });
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}`);
  folder = (await readFile(place, "utf8")).trim();
  return stdout;
}

async function start(command: string, last: string): Promise<string> {
  await stop();
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd: folder, env: environment() });
  running = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const isUp = async () => {
    while (!output.includes(last)) await once(child.stderr, "data");
  };
  await within(15_000, "the server", isUp());
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
  const { BIPLANE_SOAK: _, ...rest } = process.env;
  return {
    ...rest,
    PATH: `${join(home, ".bin")}:${rest["PATH"]}`,
    HOME: home,
    BIPLANE_LISTEN: `http://127.0.0.1:${port}`,
  };
}

function atPort(text: string): string {
  return text.replaceAll("127.0.0.1:8000", `127.0.0.1:${port}`);
}

async function tool(name: string, script: string): Promise<void> {
  await writeFile(join(home, ".bin", name), `#!/bin/sh\n${script}\n`);
  await chmod(join(home, ".bin", name), 0o755);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address() as AddressInfo;
  server.close();
  return free;
}

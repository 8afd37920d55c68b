import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "biplane/client";
import { fillNewUserFolder } from "./support/packed.ts";
import { runToEnd } from "./support/project.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** A new user has an empty folder and the packed packages: no clone, and nothing of ours in the registry. */
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let home: string;
/** Where packages were installed last. */
let last: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  last = home = join(folder.path, "home");
  await fillNewUserFolder(folder.path);
}, 240_000);
afterAll(() => folder[Symbol.asyncDispose]());

async function shell(command: string, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runToEnd("/bin/sh", ["-c", command], { cwd, timeoutMs: 200_000 });
  if (code !== 0) throw new Error(`${command} exited with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** `npm install`. It begins with what the project before has, so that only the differences are installed. */
async function install(cwd: string): Promise<void> {
  const lock = "node_modules/.package-lock.json";
  // Links instead of copies, except of the file that npm writes.
  await shell(`cp -RPl '${last}/node_modules' . && rm ${lock} && cp '${last}/${lock}' ${lock}`, cwd);
  await shell(`cp '${last}/package-lock.json' . && npm install --no-audit --no-fund --prefer-offline`, cwd);
  last = cwd;
}

/** Starts a project's server, and stops it at the end. */
async function serve(cwd: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const env = { ...process.env, BIPLANE_LISTEN: "http://127.0.0.1:0" };
  const child = spawn("npx", ["biplane", "serve"], { cwd, env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const lines: string[] = [];
  const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(lines.join("\n"))));
  while (!lines.some((line) => line.includes("Ctrl-C"))) await Promise.race([once(reader, "line"), ended]);
  ended.catch(() => undefined);
  const url = /http:\/\/[\d.:]+/.exec(lines.join("\n"))?.[0] ?? "";
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await once(child, "exit").catch(() => undefined);
    },
  };
}

test("the program is there", async () => {
  expect(await shell("npx biplane --version", home)).toMatch(/^\d+\.\d+\.\d+/);
});

test("a server, its tests, its tools and the admin page", async () => {
  await shell("npx biplane init my-tools --kind server", home);
  const cwd = join(home, "my-tools");
  expect(await readFile(join(cwd, "package.json"), "utf8")).toMatch(/"@biplane\/core": "file:.*\.tgz"/);
  await install(cwd);
  expect(await shell("npm test", cwd)).toMatch(/^ℹ pass 4$/m);
  await using server = await serve(cwd);
  await using client = await connect(`${server.url}/mcp`);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["get_order", "refund_order"]);
  expect(await (await fetch(`${server.url}/`)).text()).toMatch(/<script type="module"/);
}, 240_000);

test("an environment that an agent plays", async () => {
  await shell("npx biplane init my-game --kind environment", home);
  const cwd = join(home, "my-game");
  await install(cwd);
  expect(await shell("npm run eval", cwd)).toMatch(/rollouts +(\d+) of \1/);
  expect(await shell("npx biplane show last", cwd)).not.toBe("");
}, 240_000);

test("an app, whose page a host can read", async () => {
  await shell("npx biplane init my-app --kind app", home);
  const cwd = join(home, "my-app");
  await install(cwd);
  await using server = await serve(cwd);
  await using client = await connect(`${server.url}/mcp`, { apps: true });
  const [shown] = await client.listTools();
  const { ui } = (shown?._meta ?? {}) as { ui?: { resourceUri?: string } };
  const [content] = (await client.readResource(ui?.resourceUri ?? "")).contents;
  expect(content?.text).toMatch(/<html/);
}, 240_000);

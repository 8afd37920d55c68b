import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { biplane, linkPackages, program } from "../support/project.ts";
import { within } from "../support/within.ts";

const folders: string[] = [];
const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill();
    await once(child, "exit");
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A project whose one tool says a word that is in a file of its own. */
async function project(config = "listen: http://127.0.0.1:0\n") {
  const folder = mkdtempSync(join(tmpdir(), "biplane-watch-test-"));
  folders.push(folder);
  await linkPackages(folder);
  // Written beside and renamed, as editors do.
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, `.${name}.new`), text);
    renameSync(join(folder, `.${name}.new`), join(folder, name));
  };
  write("word.mjs", 'export const word = "one";\n');
  write(
    "tools.mjs",
    `import { server, tool } from "biplane";
     import { word } from "./word.mjs";
     export default server({ name: "kit", tools: { say: tool({ run: () => word }) } });`,
  );
  write("biplane.yaml", `servers: [./tools.mjs]\n${config}`);
  return { folder, write };
}

/** Starts `biplane serve --watch` and reads what it prints. */
function watching(folder: string) {
  const child = spawn(process.execPath, [program, "serve", "--watch"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  started.push(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  let read = 0;
  /** The next line that matches. */
  const printed = (pattern: RegExp) =>
    within(
      30_000,
      `${pattern.source} after ${lines.join("\n")}`,
      new Promise<string>((resolve) => {
        const look = () => {
          while (read < lines.length) {
            const line = lines[read++] ?? "";
            if (!pattern.test(line)) continue;
            waiting.delete(look);
            return resolve(line);
          }
        };
        waiting.add(look);
        look();
      }),
    );
  return { printed };
}

const urlIn = (line: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? "";

async function say(url: string): Promise<unknown> {
  return (await fetch(`${url}/mcp/execute`, { method: "POST", body: '{"tool":"say"}' })).json();
}

test("a change of code restarts it at the same address, and keeps the accounts", async () => {
  const { folder, write } = await project();
  const { printed } = watching(folder);
  const link = await printed(/#\/setup\//);
  const url = urlIn(link);
  expect(await say(url)).toMatchObject({ result: "one" });
  const person = { name: "ada", passphrase: "correct horse battery staple" };
  const post = (path: string, body: object) =>
    fetch(`${url}/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify(body),
    });
  expect((await post("setup", { ...person, code: link.split("/").at(-1) })).status).toBe(200);
  write("word.mjs", 'export const word = "two";\n');
  expect(await printed(/changed/)).toBe(`  word.mjs changed. Restarted on ${url}.`);
  expect(await say(url)).toMatchObject({ result: "two" });
  expect((await post("session", person)).status).toBe(200);
});

test("a syntax error is reported, and fixing it restarts the server", async () => {
  const { folder, write } = await project();
  const { printed } = watching(folder);
  const url = urlIn(await printed(/Agents/));
  write("word.mjs", "export const word = ;\n");
  expect(await printed(/syntax error/)).toContain("Unexpected token");
  expect(await printed(/changed/)).toBe("  word.mjs changed. Not running; it starts again when a file changes.");
  write("word.mjs", 'export const word = "fixed";\n');
  await printed(/Restarted/);
  expect(await say(url)).toMatchObject({ result: "fixed" });
});

test("a change of the config file restarts it with the new rules, also after a mistake at the start", async () => {
  const { folder, write } = await project("lisen: http://127.0.0.1:0\n");
  const { printed } = watching(folder);
  await printed(/lisen is not a known key; did you mean listen/);
  await printed(/Not running/);
  write("biplane.yaml", "servers: [./tools.mjs]\nlisten: http://127.0.0.1:0\n");
  const url = urlIn(await printed(/Restarted/));
  expect(await say(url)).toMatchObject({ result: "one" });
  write(
    "biplane.yaml",
    "servers: [./tools.mjs]\nlisten: http://127.0.0.1:0\npolicies: [{ tool: say, deny: Not today }]\n",
  );
  expect(await printed(/Restarted/)).toBe(`  biplane.yaml changed. Restarted on ${url}.`);
  expect(await say(url)).toMatchObject({ error: "POLICY_DENIED", message: "Not today" });
});

test("it ends with Ctrl-C", async () => {
  const { folder } = await project();
  const { printed } = watching(folder);
  const url = urlIn(await printed(/Agents/));
  const [child] = started.splice(0);
  child?.kill("SIGINT");
  await once(child as ChildProcess, "exit");
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("over stdio it is refused", async () => {
  const { folder } = await project("listen: stdio\n");
  const { code, stderr } = await biplane(["serve", "--watch"], { cwd: folder });
  expect(code).not.toBe(0);
  expect(stderr).toContain("--watch cannot restart a server over stdio");
});

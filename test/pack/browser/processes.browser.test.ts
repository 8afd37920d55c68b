import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LocalSite } from "../net/local-site.ts";
import { page } from "./browsing.ts";
import { needs } from "../../support/needs.ts";
import { bundledScript } from "../../support/bundled-script.ts";

let site: LocalSite;
const folder = mkdtempSync(join(tmpdir(), "biplane-test-"));
beforeAll(async () => {
  site = await LocalSite.open((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(page("Here", "text"));
  }, "127.0.0.2");
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What the system tells of a process, as far as it still runs. */
function told(id: string, file: "environ" | "status"): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "utf8");
  } catch {
    return ""; // it has ended, or belongs to another user
  }
}

/** The browser whose home is in this test's folder, with its child processes, which may hide their environment. */
function browsers(): string[] {
  const ids = readdirSync("/proc").filter((id) => /^\d+$/.test(id));
  const parentOf = (id: string) => /^PPid:\s+(\d+)/m.exec(told(id, "status"))?.[1];
  const found = new Set(ids.filter((id) => told(id, "environ").includes(`HOME=${folder}/`)));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const id of ids) if (found.has(parentOf(id) ?? "")) found.add(id);
  }
  return [...found];
}

const isRunning = (id: string) => /^State:\s+[^ZX\s]/m.test(told(id, "status"));

async function openInChild() {
  const args = [bundledScript(new URL("browser-child.ts", import.meta.url), []), `${site.url}/`];
  const env = { ...process.env, TMPDIR: folder, BROWSER_TEST_SECRET: "not-for-the-browser" };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(line).toContain("Title: Here");
  return child;
}

describe("the browser's processes", needs("linux"), () => {
  test("know nothing of our environment, and end with the pack, as do their files", async () => {
    const child = await openInChild();
    const running = browsers();
    expect(running.length).toBeGreaterThan(1);
    for (const id of running) expect(told(id, "environ")).not.toContain("not-for-the-browser");
    child.stdin.write("close\n");
    expect(await once(child, "exit")).toEqual([0, null]);
    await vi.waitFor(() => expect(running.filter(isRunning)).toEqual([]), { timeout: 30_000 });
    expect(browsers()).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith("biplane-"))).toEqual([]);
  });

  test("end even when ours is killed", async () => {
    const child = await openInChild();
    const running = browsers();
    expect(running.length).toBeGreaterThan(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    await vi.waitFor(() => expect(running.filter(isRunning)).toEqual([]), { timeout: 30_000 });
    expect(browsers()).toEqual([]);
  });
});

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { biplane, linkPackages, program } from "../support/project.ts";
import { within } from "../support/within.ts";
import { runIn } from "./command.ts";

// A browser on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-dev-"))));
afterAll(() => rm(folder, { recursive: true }));

/** `biplane app dev` while it runs: what it says, and the files it watches. */
class Dev {
  readonly child: ChildProcess;
  said = "";

  constructor(words: readonly string[], stdin: "pipe" | "ignore" = "pipe") {
    // Temporary files go where the test can see what is left of them.
    const env = { ...process.env, TMPDIR: join(folder, "tmp") };
    this.child = spawn(process.execPath, [program, "app", "dev", ...words], {
      cwd: folder,
      env,
      stdio: [stdin, "ignore", "pipe"],
    });
    this.child.stderr?.on("data", (data) => (this.said += String(data)));
  }

  async says(pattern: RegExp): Promise<string> {
    const heard = async () => {
      while (!pattern.test(this.said)) await once(this.child.stderr as NodeJS.ReadableStream, "data");
    };
    await within(50_000, `${pattern} in the terminal`, heard());
    return pattern.exec(this.said)?.[0] ?? "";
  }

  /** Puts one text for another in a file of the project. */
  async edit(file: string, before: string, after: string): Promise<void> {
    const path = join(folder, "my-app", file);
    const text = await readFile(path, "utf8");
    if (!text.includes(before)) throw new Error(`${file} has no ${before}`);
    this.said = "";
    await writeFile(path, text.replace(before, after));
  }

  async stop(): Promise<number | null> {
    this.child.kill("SIGINT");
    if (this.child.exitCode === null) await once(this.child, "exit");
    return this.child.exitCode;
  }
}

/** Lets the server read its question from another folder. */
async function importFromElsewhere(project: string): Promise<void> {
  await mkdir(join(project, "words"));
  await writeFile(join(project, "words", "question.json"), '"What shall we drink?"');
  const file = join(project, "src", "server.ts");
  const text = await readFile(file, "utf8");
  const line = 'import question from "../words/question.json" with { type: "json" };\n';
  await writeFile(file, line + text.replace('question: "What shall we drink?"', "question"));
}

const link = /http:\/\/127\.0\.0\.1:\d+\/#\/tools\/my-app\/show_poll\?key=\S+/;

describe("biplane app dev", () => {
  let dev: Dev;
  let browser: Browser;
  let page: Page;
  let address: string;
  const inApp = () => page.frameLocator(".app-container iframe").frameLocator("iframe");
  const title = (text: string) => inApp().getByRole("heading", { name: text, exact: true });

  beforeAll(async () => {
    await mkdir(join(folder, "tmp"));
    await runIn(folder, ["init", "my-app", "--kind", "app"]);
    await linkPackages(join(folder, "my-app"));
    await importFromElsewhere(join(folder, "my-app"));
    dev = new Dev(["./my-app", "--url", "http://127.0.0.1:0"]);
    browser = await openChromium();
    address = await dev.says(link);
    page = await browser.newPage();
    await page.goto(address);
  });
  afterAll(async () => {
    await browser?.close();
    await dev?.stop();
  });

  test("opens the page at the app, which is drawn without a passphrase and without a click", async () => {
    await title("What shall we drink?").waitFor();
    expect(page.url()).toMatch(/#\/tools\/my-app\/show_poll$/);
    await inApp().getByRole("button", { name: "tea: 0" }).click();
    await inApp().getByRole("button", { name: "tea: 1" }).waitFor();
  });

  test("its sign-in key works once, and without it nothing is revealed", async () => {
    const { origin, hash } = new URL(address);
    const key = hash.split("key=")[1];
    const post = (body: object) =>
      fetch(`${origin}/api/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const again = await post({ key });
    expect([again.status, await again.json()]).toEqual([
      401,
      { error: "UNAUTHORIZED", message: expect.stringMatching(/was already used/) },
    ]);
    expect((await post({ key: "biplane_k_guess" })).status).toBe(401);
    expect((await fetch(`${origin}/api/tools`)).status).toBe(401);
    await using other = await browser.newContext();
    const late = await other.newPage();
    await late.goto(address);
    await late.getByText("This link was already used").waitFor();
    dev.said = "";
    dev.child.stdin?.write("\n");
    await late.goto(await dev.says(link));
    await late.getByRole("heading", { name: "show_poll" }).waitFor();
  });

  test("shows a change of the view's source by itself", async () => {
    await dev.edit("src/poll.ts", "poll.question;", "`Well: ${poll.question}`;");
    await title("Well: What shall we drink?").waitFor();
    expect(await dev.says(/.*changed.*/)).toBe("  src/poll.ts changed. Reloaded.");
  });

  test("shows a change of what the server imports from elsewhere by itself", async () => {
    await dev.edit("words/question.json", "drink", "cook");
    await title("Well: What shall we cook?").waitFor();
    expect(await dev.says(/.*changed.*/)).toBe("  words/question.json changed. Reloaded.");
  });

  test("shows a mistake in the view in the terminal and on the page, and keeps the last good version until it is fixed", async () => {
    await dev.edit("src/poll.ts", "function draw(poll", "function draw((poll");
    await dev.says(/src\/poll\.ts:\d+:\d+: Expected .*\n {2}The previous version is still being served\./);
    await page
      .getByRole("alert")
      .getByText(/src\/poll\.ts:\d+:\d+: Expected/)
      .waitFor();
    await inApp().getByRole("button", { name: "coffee: 0" }).click();
    await inApp().getByRole("button", { name: "coffee: 1" }).waitFor();
    await dev.edit("src/poll.ts", "function draw((poll", "function draw(poll");
    await inApp().getByRole("button", { name: "coffee: 0" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("shows a mistake in the server, and an invalid export", async () => {
    await dev.edit("src/server.ts", "export default server(", "export default serve(");
    await dev.says(/src\/server\.ts.*serve is not defined\n {2}The previous version/);
    await page.getByRole("alert").getByText("serve is not defined").waitFor();
    await dev.edit("src/server.ts", "export default serve(", "export const polls = server(");
    await dev.says(/has no server or environment as its default export/);
    await dev.edit("src/server.ts", "export const polls = server(", "export default server(");
    await page.getByRole("alert").waitFor({ state: "detached" });
    await title("Well: What shall we cook?").waitFor();
    expect(dev.said).toMatch(/src\/server\.ts changed\. Reloaded/);
  });

  test("removes everything it stored when it is stopped", async () => {
    const kept = async () => (await readdir(join(folder, "tmp"))).filter((name) => name.startsWith("biplane-"));
    expect(await kept()).toHaveLength(1);
    expect(await dev.stop()).toBe(0);
    expect(await kept()).toEqual([]);
    await expect(fetch(new URL(address).origin)).rejects.toThrow("fetch failed");
  });
});

test("waits until a broken module is fixed, also without a terminal", async () => {
  await mkdir(join(folder, "my-app", "late"), { recursive: true });
  const file = join(folder, "my-app", "late", "server.mjs");
  await writeFile(file, "export default (");
  const dev = new Dev([file, "--url", "http://127.0.0.1:0"], "ignore");
  try {
    await dev.says(/server\.mjs.*\n {2}It is loaded again when a file changes\./);
    await writeFile(
      file,
      `import { server } from "biplane"; export default server({ name: "late", version: "1", tools: {} });`,
    );
    await dev.says(/None of its tools has an app yet[^]*#\/tools\?key=/);
  } finally {
    expect(await dev.stop()).toBe(0);
  }
});

test.each([
  [1, ["./nowhere"], /nowhere does not exist/],
  [1, ["./tmp"], /has no src\/server\.ts/],
  [2, ["./my-app", "--url", "http://0.0.0.0:8000"], /must be a loopback address/],
])("exits with %i: %j", async (exitCode, words, why) => {
  const { code, stderr } = await runIn(folder, ["app", "dev", ...words]);
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(why)]);
});

test("an address that is taken is an error at once", async () => {
  const { createServer } = await import("node:http");
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await biplane(["app", "dev", "./my-app", "--url", `http://127.0.0.1:${port}`], {
    cwd: folder,
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is in use\. Use another port/)]);
  expect(existsSync(join(folder, "my-app", ".biplane"))).toBe(false);
  taken.close();
});

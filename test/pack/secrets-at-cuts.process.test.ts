import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { server } from "biplane";
import type { Server } from "biplane";
import {
  calendarPack,
  filesystemPack,
  githubPack,
  gitPack,
  memoryPack,
  openapiPack,
  vaultPack,
  webPack,
} from "biplane/packs";
import { messageOf } from "@biplane/core/internal";
import { skipWithoutProgram } from "../support/needs.ts";
import { contentOf, Playground } from "./files/playground.ts";
import { git } from "./git/git-lab.ts";
import { LocalSite, json } from "./net/local-site.ts";

/** No part of it repeats, and none occurs elsewhere. */
const secret = "sk-Xq7Zt4Wm9Kv2Jh5Rb8Nc";
/** What the tools leave of a text before they cut it. The secret begins this many characters before. */
const shown = [8, 15, secret.length - 1];

const playground = new Playground();
let site: LocalSite;
let kit: Server;
let body = "";

beforeEach(skipWithoutProgram("git"));
beforeAll(async () => {
  site = await LocalSite.open((seen, response) => {
    if (seen.url.startsWith("/repos")) return json(response, { message: body }, { status: 422 });
    const type = seen.url.startsWith("/page") ? "text/html" : "text/plain";
    return response.writeHead(seen.url.startsWith("/fails") ? 500 : 200, { "content-type": type }).end(body);
  });
  git(playground.folder("repo"), "init", "--quiet", "--initial-branch=main");
  const document = playground.write(
    "api.yaml",
    "openapi: 3.0.3\ninfo: { title: A, version: '1' }\npaths: { /fails: { get: { operationId: fails } } }\n",
  );
  playground.write("calendar.ics");
  kit = server({
    name: "kit",
    secrets: { TOKEN: secret },
    packs: [
      filesystemPack({ roots: [playground.folder("files")] }),
      gitPack({ root: playground.at("repo"), maxBytes: 2000 }),
      memoryPack({ root: playground.folder("memory") }),
      vaultPack({ root: playground.folder("vault") }),
      webPack({ allow: ["127.0.0.0/8"], cacheSeconds: 0, robots: false, rate: { perSecond: 1000, burst: 1000 } }),
      githubPack({ token: "ghp_0123456789abcdef", baseUrl: site.url }),
      await openapiPack({ apis: { api: { file: document, baseUrl: site.url } } }),
      calendarPack(
        { calendars: [{ name: "Team", file: playground.at("calendar.ics") }], timeZone: "UTC" },
        { now: () => Date.parse("2026-03-27T12:00:00Z") },
      ),
    ],
    limits: false,
  });
});
afterAll(async () => {
  await kit.close();
  await site[Symbol.asyncDispose]();
  await playground[Symbol.asyncDispose]();
});

/** The answer as data and as text, or the error. */
async function call(tool: string, input: object): Promise<unknown> {
  try {
    return [await kit.call(tool, input), await contentOf(kit, tool, input)];
  } catch (error) {
    return messageOf(error);
  }
}

/** A text whose cut after `cut` characters divides the secret. */
const divided = (cut: number, at: number) => `${"p".repeat(cut - at)}${secret} and more text ${"q".repeat(cut)}`;

const event = (property: string, value: string) =>
  playground.write(
    "calendar.ics",
    `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Meeting\r\nDTSTART:20260328T100000Z\r\n${property}:${value}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
  );

/** Each tool that cuts a text, with a secret where it cuts. */
const cuts: Record<string, (at: number) => Promise<unknown>> = {
  "edit_file, the new text": (at) => {
    playground.write("files/a.txt", `TOKEN=${secret}\n`);
    const edits = [{ oldText: "TOKEN=", newText: "p".repeat(50_000 - at) }];
    return call("edit_file", { path: "a.txt", dryRun: true, edits });
  },
  "edit_file, the old text": (at) => {
    playground.write("files/a.txt", `x${divided(50_000 - 1, at)}\n`);
    return call("edit_file", { path: "a.txt", dryRun: true, edits: [{ oldText: "xp", newText: "p" }] });
  },
  "edit_file, a line nearby": (at) => {
    playground.write("files/a.txt", `${divided(8333, at)}\nchange\n`);
    return call("edit_file", { path: "a.txt", dryRun: true, edits: [{ oldText: "change", newText: "changed" }] });
  },
  git_show: async (at) => {
    playground.write("repo/a.txt", divided(2000, at));
    git(playground.at("repo"), "add", ".");
    git(playground.at("repo"), "commit", "--quiet", "--message=a");
    return call("git_show", { path: "a.txt" });
  },
  git_diff: (at) => {
    playground.write("repo/a.txt", "p\n");
    git(playground.at("repo"), "add", ".");
    const head = "diff --git a/a.txt b/a.txt\nindex 2a36b3d..f1c8f5c 100644\n--- a/a.txt\n+++ b/a.txt\n".length;
    playground.write("repo/a.txt", divided(2000 - head - "@@ -1 +1 @@\n-p\n+".length, at));
    return call("git_diff", {});
  },
  git_log: (at) => {
    const author = `${"0".repeat(40)}\x1fAda <ada@example.org>\x1f2026-01-01T00:00:00+00:00\x1f`;
    git(playground.at("repo"), "commit", "--quiet", "--allow-empty", `--message=${divided(2000 - author.length, at)}`);
    return call("git_log", { limit: 1 });
  },
  fails: (at) => {
    body = divided(500, at);
    return call("fails", {});
  },
  github_list_issues: (at) => {
    body = divided(300, at);
    return call("github_list_issues", { owner: "a", repo: "b" });
  },
  "web_fetch of text": (at) => {
    body = divided(1000, at);
    return call("web_fetch", { url: `${site.url}/text`, max_length: 1000 });
  },
  "web_fetch of a page": (at) => {
    body = `<p>${divided(1000, at)}</p>`;
    return call("web_fetch", { url: `${site.url}/page`, max_length: 1000 });
  },
  "web_fetch of a page, its title": (at) => {
    body = `<title>${divided(500, at)}</title><p>text</p>`;
    return call("web_fetch", { url: `${site.url}/page` });
  },
  memory_search: (at) => {
    playground.write("memory/MEMORY.md", divided(1000, at));
    return call("memory_search", { query: "more" });
  },
  "vault_read, a title": (at) => {
    playground.write("vault/note.md", `# ${divided(200, at)}\n`);
    return call("vault_read", { path: "note.md" });
  },
  "vault_search, a title": async (at) => {
    await call("vault_write", { path: "note.md", content: `# ${divided(200, at)}\nwords\n` });
    return call("vault_search", { query: "words" });
  },
  "vault_search, a tag": async (at) => {
    await call("vault_write", { path: "note.md", content: `words #${divided(100, at)}\n` });
    return call("vault_search", { query: "words" });
  },
  "calendar_read, a description": (at) => {
    event("DESCRIPTION", divided(200, at));
    return call("calendar_read", {});
  },
  "calendar_read, a long description": (at) => {
    event("DESCRIPTION", divided(2000, at));
    return call("calendar_read", {});
  },
  "calendar_read, a location": (at) => {
    event("LOCATION", divided(1000, at));
    return call("calendar_read", {});
  },
};

test.each(Object.keys(cuts))("%s: no part of a secret is left by a cut", async (name) => {
  for (const at of shown) {
    const answer = JSON.stringify(await cuts[name]?.(at));
    expect(answer).toMatch(/p{10}/);
    for (let from = 0; from + 8 <= secret.length; from++) expect(answer).not.toContain(secret.slice(from, from + 8));
  }
});

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalSite } from "../../pack/net/local-site.ts";
import { findHolds, isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import type { HeldServer } from "./held-server.ts";
import { calendars, gitFiles, json, notes, pages, robots, scripts, texts } from "./hostile-files.ts";
import type { Contents } from "./hostile-files.ts";
import { openPackSite } from "./pack-site.ts";
import type { Said } from "./pack-site.ts";
import { callTool, startPackServer } from "./pack-server.ts";
import type { Json } from "./pack-server.ts";

const mebi = 2 ** 20;
let site: LocalSite;
let say: (said: Said) => void;
let server: HeldServer;
beforeAll(async () => {
  ({ site, say } = await openPackSite());
  server = await startPackServer(site);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await robotsSite?.[Symbol.asyncDispose]();
});

/** A format: where its contents come from, how large they may be, and the calls that read them. */
interface Format {
  readonly contents: Contents;
  readonly limit: number;
  readonly place: (content: string) => unknown;
  readonly calls: readonly (readonly [tool: string, input: Json])[];
}

const file = (path: string) => (content: string) => server.write(path, content);
const page = (type: string) => (body: string) => say({ body, type });
const fetched: Format["calls"] = [["web_fetch", { url: "site", max_length: 1_000_000 }]];

const formats: Readonly<Record<string, Format>> = {
  "Markdown notes with YAML": {
    contents: notes,
    limit: mebi,
    place: file("vault/hostile.md"),
    calls: [
      ["vault_read", { path: "hostile.md" }],
      ["vault_search", { query: "text b" }],
      ["vault_search", { query: "a".repeat(500) }],
      ["vault_list", { recursive: true }],
    ],
  },
  memories: {
    contents: notes,
    limit: mebi,
    place: file("memory/MEMORY.md"),
    calls: [
      ["memory_read", {}],
      ["memory_search", { query: "ab ab ab b" }],
    ],
  },
  "files of the workspace": {
    contents: texts,
    limit: 10 * mebi,
    place: file("workspace/hostile.txt"),
    calls: [
      ["workspace_read", { path: "hostile.txt" }],
      ["workspace_read", { path: "hostile.txt", unit: "bytes", offset: 1000, limit: 1_000_000 }],
      ["workspace_search", { query: "a".repeat(1000) }],
      ["workspace_search", { query: "b", case_sensitive: true, glob: `{${"*a".repeat(30)},*}` }],
      ["workspace_edit", { path: "hostile.txt", old_text: "aab", new_text: "aab" }],
      ["workspace_edit", { path: "hostile.txt", old_text: "a", new_text: "a", replace_all: true }],
    ],
  },
  "files of the filesystem": {
    contents: texts,
    limit: 10 * mebi,
    place: file("files/hostile.txt"),
    calls: [
      ["read_text_file", { path: "hostile.txt", tail: 1000 }],
      ["read_text_file", { path: "hostile.txt", head: 1_000_000 }],
      ["read_media_file", { path: "hostile.txt" }],
      ["read_multiple_files", { paths: Array.from({ length: 100 }, () => "hostile.txt") }],
      ["edit_file", { path: "hostile.txt", dryRun: true, edits: [{ oldText: "aab", newText: "c\n".repeat(1000) }] }],
      ["edit_file", { path: "hostile.txt", dryRun: true, edits: [{ oldText: "b", newText: "a" }] }],
    ],
  },
  iCalendar: {
    contents: calendars,
    limit: 10 * mebi,
    place: file("workspace/shared.ics"),
    calls: [["calendar_read", { days: 366 }]],
  },
  "HTML pages": { contents: pages, limit: 5 * mebi, place: page("text/html; charset=utf-8"), calls: fetched },
  "pages of plain text": { contents: texts, limit: 5 * mebi, place: page("text/plain"), calls: fetched },
  "pages in JSON": { contents: json, limit: 5 * mebi, place: page("application/json"), calls: fetched },
  ...Object.fromEntries(
    ["shift_jis", "windows-1252", "utf-16le", "gb18030"].map((charset): [string, Format] => [
      `pages in ${charset}`,
      { contents: texts, limit: 5 * mebi, place: page(`text/plain; charset=${charset}`), calls: fetched },
    ]),
  ),
  "robots.txt": { contents: robots, limit: mebi, place: placeRobots, calls: [["web_fetch", { url: "robots" }]] },
  "answers of GitHub": {
    contents: json,
    limit: 5 * mebi,
    place: page("application/json"),
    calls: [
      ["github_list_issues", { owner: "octo", repo: "repo" }],
      ["github_create_issue", { owner: "octo", repo: "repo", title: "text" }],
    ],
  },
  "answers of an API": {
    contents: json,
    limit: mebi,
    place: page("application/json"),
    calls: [["orders_change", { id: "1" }]],
  },
  "answers of chat services": {
    contents: json,
    limit: 5 * mebi,
    place: page("application/json"),
    calls: [
      ["chat_send", { provider: "discord", target: "user:1", message: "text" }],
      ["chat_send", { provider: "slack", target: "user:U1", message: "text" }],
      ["chat_send", { provider: "telegram", target: "1", message: "text" }],
    ],
  },
  "Starlark scripts": {
    contents: scripts,
    limit: 256 * 1024,
    place: file("scripts/hostile.star"),
    calls: [
      ["script_reload", {}],
      ["script_list", {}],
      ["script_run", { name: "hostile" }],
    ],
  },
  ...Object.fromEntries(
    Object.entries(gitFiles).map(([path, contents]): [string, Format] => [
      `git's ${path}`,
      {
        contents,
        limit: mebi,
        place: (content) => {
          const isConfig = path === ".git/config";
          return server.write(`repository/${path}`, isConfig ? `${gitConfig}${content}` : content);
        },
        calls: ["git_status", "git_log", "git_diff", "git_show", "git_branch"].map((tool) => [tool, {}]),
      },
    ]),
  ),
};

const gitConfig = "[core]\n  repositoryformatversion = 0\n  bare = false\n";

for (const [name, format] of Object.entries(formats))
  test(
    `no content in the format "${name}" holds the event loop`,
    { timeout: isSoak ? 3_600_000 : 120_000 },
    async () => {
      const found = await findHolds(server, casesOf(format));
      await format.place("");
      expect(found).toEqual([]);
    },
  );

test("the calls read what they find", async () => {
  for (const [name, { place, calls }] of Object.entries(formats))
    for (const [tool, input] of calls) {
      await place("text aab\n");
      const answer = await callTool(server, tool, JSON.stringify({ ...input, ...urlOf(input) }));
      expect(`${name}, ${tool}: ${answer}`).not.toMatch(/POLICY_DENIED|INVALID_INPUT|NOT_FOUND/);
    }
});

/** Every day, each content is read by one of the calls. */
function casesOf({ contents, limit, place, calls }: Format): HostileCase[] {
  const pairs = Object.entries(contents).flatMap(([kind, make], at) => {
    const some = isSoak ? calls : [calls[at % calls.length] as Format["calls"][number]];
    return some.map(([tool, input]) => ({ kind, make, tool, input, at }));
  });
  const chosen = isSoak ? pairs : pairs.filter(({ at }) => at % (limit > 2 * mebi ? 9 : 4) === 0);
  return chosen.map(({ kind, make, tool, input }) => ({
    name: `${tool} of ${kind}`,
    limit,
    prepare: async (size: number) => place(make(size)),
    send: () => callTool(server, tool, JSON.stringify({ ...input, ...urlOf(input) })),
  }));
}

let pagesAsked = 0;
/** Another path each time, because pages are cached. */
function urlOf({ url }: Json): Json {
  if (url === undefined) return {};
  const asked = ++pagesAsked;
  return { url: url === "robots" ? `${robotsSite?.url}/${asked}/${"a".repeat(8000)}` : `${site.url}/${asked}` };
}

let robotsSite: LocalSite | undefined;
/** Another site each time, because the robots.txt of a site is cached too. */
async function placeRobots(text: string): Promise<void> {
  await robotsSite?.[Symbol.asyncDispose]();
  robotsSite = await LocalSite.open(({ url }, response) => response.end(url === "/robots.txt" ? text : "a page"));
}

/** The files of the packs that parse something, by what reaches them: a format above, or an input of a tool. */
const parsers: Readonly<Record<string, readonly string[]>> = {
  "Markdown notes with YAML": ["vault/front-matter.ts", "vault/note.ts", "vault/search-notes.ts"],
  memories: ["memory/search-memory.ts"],
  "files of the workspace": ["shared/files/bytes-content.ts", "shared/files/glob.ts", "shared/files/media-type.ts"],
  "files of the filesystem": ["filesystem/read.ts"],
  iCalendar: [
    "calendar/moment.ts",
    "calendar/parse-ical.ts",
    "calendar/recurrence-rule.ts",
    "calendar/ruled-zone.ts",
    "calendar/zone.ts",
  ],
  "HTML pages": ["web/fetch-page.ts", "web/page-cache.ts"],
  "pages in windows-1252": ["web/decode-response-text.ts"],
  "robots.txt": ["web/robots.ts"],
  "answers of GitHub": ["shared/net/rest-client.ts"],
  "the operator's own headers": ["shared/net/secret-parts.ts"],
  "Starlark scripts": ["script/header.ts", "script/library.ts", "script/runner.ts"],
  "git's .git/config": ["git/branch.ts", "git/history.ts", "git/run-git.ts", "git/stage-files.ts", "git/status.ts"],
  "inputs of tools": [
    "chat/split-message.ts",
    "chat/target.ts",
    "memory/memory-file.ts",
    "shared/files/parse-path.ts",
    "shared/files/walk-path.ts",
    "shared/net/addresses.ts",
  ],
  "the browser": ["browser/guarded-proxy.ts", "browser/page-scripts.ts", "browser/tab.ts", "browser/watch-memory.ts"],
  "the operator's own repository": ["vault/sync.ts"],
  "documents that are read in a worker": [
    "openapi/read-document.ts",
    "openapi/read-operation.ts",
    "openapi/references.ts",
    "openapi/tool-schema.ts",
  ],
  "the operator's own cassettes": ["shared/net/http-cassette.ts"],
};

test("every file of a pack that parses is reached", () => {
  const root = fileURLToPath(new URL("../../../packages/biplane/src/pack", import.meta.url));
  const parsing = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && parses.test(readFileSync(`${root}/${path}`, "utf8")))
    .sort();
  expect(Object.values(parsers).flat().sort()).toEqual(parsing);
  const elsewhere = [
    "inputs of tools",
    "the browser",
    "the operator's own repository",
    "the operator's own cassettes",
    "the operator's own headers",
    "documents that are read in a worker",
  ];
  expect(Object.keys(parsers).filter((name) => !(name in formats || elsewhere.includes(name)))).toEqual([]);
});

const parses = /JSON\.parse\(|parseJson\(|parseYaml\(|\.matchAll\(|new RegExp\(|\.split\(|\.exec\(/;

import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalSite } from "../../pack/net/local-site.ts";
import { findHolds, isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import type { HeldServer } from "./held-server.ts";
import { hostileInputs } from "./hostile-inputs.ts";
import { openPackSite } from "./pack-site.ts";
import { allPacks, callTool, coveredPacks, startPackServer } from "./pack-server.ts";
import type { Json } from "./pack-server.ts";

/** A call of each tool that succeeds. Hostile values replace its parts. */
const samples: Readonly<Record<string, Json>> = {
  approvals_waiting: {},
  approvals_status: {},
  workspace_read: { path: "sample.txt" },
  workspace_write: { path: "written.txt", content: "text" },
  workspace_list: { path: "." },
  workspace_edit: { path: "written.txt", old_text: "t", new_text: "t", replace_all: true },
  workspace_search: { query: "sample", path: ".", glob: "*" },
  workspace_move: { from: "written.txt", to: "moved.txt" },
  workspace_delete: { path: "moved.txt" },
  memory_read: { file: "MEMORY.md" },
  memory_write: { content: "text", file: "MEMORY.md" },
  memory_search: { query: "text" },
  vault_read: { path: "sample.md" },
  vault_write: { path: "written.md", content: "text", commit_message: "text" },
  vault_list: { path: "." },
  vault_search: { query: "text", path: "." },
  read_text_file: { path: "sample.txt" },
  read_media_file: { path: "sample.txt" },
  read_multiple_files: { paths: ["sample.txt"] },
  write_file: { path: "written.txt", content: "text" },
  edit_file: { path: "written.txt", edits: [{ oldText: "t", newText: "t" }] },
  create_directory: { path: "folder" },
  move_file: { source: "written.txt", destination: "moved.txt" },
  list_directory: { path: "." },
  list_directory_with_sizes: { path: "." },
  directory_tree: { path: ".", excludePatterns: ["x"] },
  search_files: { path: ".", pattern: "*", excludePatterns: ["x"] },
  get_file_info: { path: "sample.txt" },
  list_allowed_directories: {},
  git_status: {},
  git_log: { revision: "HEAD", paths: ["sample.txt"] },
  git_diff: { revision: "HEAD", paths: ["sample.txt"] },
  git_show: { revision: "HEAD", path: "sample.txt" },
  git_add: { paths: ["sample.txt"] },
  git_commit: { message: "text" },
  git_branch: { action: "create", name: "branch", start: "HEAD" },
  web_fetch: { url: "http://127.0.0.1/" },
  python_run: { code: "1" },
  javascript_run: { code: "1" },
  repl_reset: { language: "javascript" },
  script_list: {},
  script_run: { name: "sample", function: "main", args: ["text"] },
  script_exec: { code: "1" },
  script_reload: {},
  sample: { text: "text" },
  github_list_issues: { owner: "octo", repo: "repo", labels: ["a"] },
  github_create_issue: { owner: "octo", repo: "repo", title: "text", body: "text", labels: ["a"] },
  chat_send: { provider: "local", target: "someone", message: "text" },
  calendar_read: { calendar: "shared" },
  orders_change: { id: "1", tags: ["a"], body: { note: "text" } },
};

let site: LocalSite;
let server: HeldServer;
let tools: readonly string[];
beforeAll(async () => {
  ({ site } = await openPackSite());
  server = await startPackServer(site);
  const headers = { authorization: `Bearer ${server.person}` };
  const listed = (await (await fetch(`${server.url}/api/tools?limit=1000`, { headers })).json()) as {
    tools: { name: string }[];
  };
  tools = listed.tools.map(({ name }) => name);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

test("every pack and every tool has a case", () => {
  expect(coveredPacks).toEqual(allPacks);
  expect(Object.keys(samples).sort()).toEqual([...tools].sort());
});

test("no input of any tool holds the event loop", { timeout: isSoak ? 3_600_000 : 240_000 }, async () => {
  const cases = tools.flatMap((name, at) => casesOf(name, samples[name] ?? {}, at));
  expect(await findHolds(server, cases)).toEqual([]);
});

/** Just below the limit of a body, with room for the message around. */
const limit = 4 * 2 ** 20 - 2000;

function casesOf(tool: string, sample: Json, rotation: number): HostileCase[] {
  return hostileInputs({ name: tool, sample, limit, rotation, send: (input) => callTool(server, tool, input) });
}

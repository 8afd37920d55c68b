import { execFileSync } from "node:child_process";
import { packs } from "../../../packages/biplane/src/pack/packs.ts";
import type { LocalSite } from "../../pack/net/local-site.ts";
import { modernMeta } from "../../wire/endpoints.ts";
import { HeldServer } from "./held-server.ts";

export type Json = Record<string, unknown>;

/** Every pack but the browser, which a browser test covers, with the options that let it do most. */
export const packOptions = (site: string): Record<string, Json> => {
  const { hostname } = new URL(site);
  return {
    approvals: {},
    workspace: { root: "./workspace", approveDelete: false },
    memory: { root: "./memory" },
    vault: { root: "./vault" },
    filesystem: { roots: ["./files"] },
    git: { root: "./repository" },
    web: { allow: [hostname], rate: { perSecond: 1000, burst: 1000 }, robots: true, cacheSeconds: 0 },
    repl: {},
    script: { root: "./scripts", allowlist: ["hostile", "sample"], tools: ["sample"] },
    github: { token: "ghp_0123456789abcdef", baseUrl: site },
    chat: {
      discord: { token: "discord-token-0123456789", targets: ["*"], baseUrl: site },
      slack: { token: "xoxb-0123456789-abcdef", targets: ["*"], baseUrl: site },
      telegram: { token: "123456789:AAE-abcdefghijklmnop", targets: ["*"], baseUrl: site },
      local: { targets: ["*"] },
    },
    openapi: { apis: { shop: { file: "./workspace/shop.yaml", baseUrl: site } }, allow: [hostname] },
    calendar: { calendars: [{ name: "shared", file: "./workspace/shared.ics" }] },
  };
};

/** An API with each kind of parameter. */
const shop = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    post:
      operationId: orders_change
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      requestBody:
        content: { application/json: { schema: { type: object } } }
      responses: { "200": { description: ok } }
`;

export const coveredPacks = [...Object.keys(packOptions("http://127.0.0.1")), "browser"].sort();
export const allPacks = Object.keys(packs).sort();

/** The built program with every pack. Policies allow everything. */
export function startPackServer(site: LocalSite, more = ""): Promise<HeldServer> {
  return HeldServer.start({
    files: {
      "workspace/sample.txt": "a sample\n",
      "workspace/shared.ics": "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n",
      "workspace/shop.yaml": shop,
      "vault/sample.md": "---\ntags: [a]\n---\n# A note\n",
      "memory/MEMORY.md": "a memory\n",
      "files/sample.txt": "a sample\n",
      "repository/sample.txt": "a sample\n",
      "scripts/sample.star":
        "# @description: A sample\n# @param text?: string The text\ndef main(text = ''):\n  return text\n",
      "scripts/hostile.star": "def main():\n  return 1\n",
    },
    config: (folder) => {
      const git = (...words: string[]) =>
        execFileSync("git", ["-C", `${folder}/repository`, ...words], { stdio: "ignore" });
      git("init", "-b", "main");
      git("add", ".");
      git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-m", "A sample");
      return `policyDefault: allow\npolicies: [{ tool: "*", allow: true }]\npacks: ${JSON.stringify(packOptions(site.url))}\n${more}`;
    },
  });
}

/** Calls a tool over MCP of 2026-07-28, with its arguments as JSON text. The answer, whatever it is, is read. */
export async function callTool(server: HeldServer, tool: string, input: string): Promise<string> {
  const meta = JSON.stringify(modernMeta());
  const params = `{"name":${JSON.stringify(tool)},"arguments":${input},"_meta":${meta}}`;
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
  return post(server, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, headers);
}

export async function post(
  server: HeldServer,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const accept = "application/json, text/event-stream";
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", accept, ...headers },
  });
  return response.text();
}

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateSource } from "oazapfts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway } from "./openapi-server.ts";
import type { Gateway } from "./openapi-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
let gateway: Gateway;
let folder: string;
let token: string;

/** What a program could do with a client that was generated from the description, and nothing else. */
const program = `
import * as api from "./client.ts";
api.defaults.baseUrl = process.env["API_URL"] ?? "";
api.defaults.headers = { authorization: "Bearer " + process.env["API_TOKEN"] };

const body = await must(api.getOverview(), 200);
const environments: string[] = body.servers.filter((each) => each.kind === "environment").map((each) => each.name);
const started = await must(api.postEpisodes({ server: environments[1] ?? "", seed: 42 }), 201);
const moved = await must(api.postEpisodesIdCalls(started.id, { tool: "lake_move", input: { action: "DOWN" } }), 200);
const played: [string, number] = [moved.outcome, moved.episode.stepCount];
const forked = await must(api.postEpisodesIdFork(started.id), 201);
const page = await must(api.getEpisodes({ status: "open", limit: 1 }), 200);
const next = await must(api.getEpisodes({ status: "open", limit: 1, after: page.next ?? "" }), 200);
await must(api.putSecretsName("FROM_CLIENT", { value: "a secret of some length" }), 204);
const secret = await must(api.getSecretsName("FROM_CLIENT"), 200);
const missing = await must(api.getRunsId("nothing"), 404);
const wrong = await must(api.getCalls({ limit: 5000 }), 400);
process.stdout.write(JSON.stringify({
  environments, played, isFork: forked.forkOf?.episode === started.id,
  pages: [page.episodes.length, next.episodes.length], source: secret.source,
  errors: [missing.error, wrong.error, wrong.message],
}));

// @ts-expect-error An order that is not declared.
void (() => api.getRunsIdTraces("x", { order: "sideways" }));
// @ts-expect-error A body without its required member.
void (() => api.putSecretsName("X", {}));
// @ts-expect-error A response has no such member.
void page.episodess;

async function must<Response extends { status: number; data?: unknown }, Status extends Response["status"]>(
  response: Promise<Response>,
  status: Status,
): Promise<Extract<Response, { status: Status }>["data"]> {
  const { status: found, data } = await response;
  if (found !== status) throw new Error(\`\${found} \${JSON.stringify(data)}\`);
  return data as Extract<Response, { status: Status }>["data"];
}
`;

beforeAll(async () => {
  gateway = await openGateway();
  const ada = await gateway.logIn();
  const document = (await gateway.ask("GET /api/openapi.json", undefined, ada)).text;
  token = String((await gateway.ask("POST /api/tokens", { label: "generated client" }, ada)).json["token"]);
  // In here, so that the client finds its runtime.
  folder = mkdtempSync(join(root, "node_modules", ".openapi-client-"));
  writeFileSync(join(folder, "openapi.json"), document);
  writeFileSync(join(folder, "client.ts"), await generateSource(join(folder, "openapi.json"), { optimistic: false }));
  writeFileSync(join(folder, "program.ts"), program);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway[Symbol.asyncDispose]();
});

const options = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    allowImportingTsExtensions: true,
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["program.ts"],
};

test("a client generated from the description has the right types", async () => {
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const { stdout } = await run(tsc, ["-p", folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

test("a client generated from the description gets what it declares from the real server", async () => {
  const environment = { ...process.env, API_URL: gateway.url, API_TOKEN: token };
  const { stdout } = await run(process.execPath, ["--import", "tsx", join(folder, "program.ts")], { env: environment });
  expect(JSON.parse(stdout)).toEqual({
    environments: ["game", "frozen-lake"],
    played: ["done", 1],
    isFork: true,
    pages: [1, 1],
    source: "store",
    errors: ["NOT_FOUND", "INVALID_INPUT", expect.stringContaining("limit must be")],
  });
  expect(gateway.faults).toEqual([]);
});

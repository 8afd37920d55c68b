import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../../packages/biplane/dist/main.js", import.meta.url));
const library = fileURLToPath(new URL("../../packages/biplane/dist/index.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "biplane-gateway-"));
afterAll(() => rmSync(folder, { recursive: true }));

const token = "ada-token-that-is-long-enough-0001";

writeFileSync(
  join(folder, "kit.mjs"),
  `import { spawn } from "node:child_process";
   import { server, tool } from ${JSON.stringify(library)};
   const any = { type: "object", properties: { amount: { type: "number" }, text: { type: "string" } } };
   export default server({ name: "kit", version: "1", tools: {
     refund: tool({ input: any, run: ({ amount }) => "refunded " + amount }),
     echo: tool({ input: any, run: ({ text }) => text }),
     stray: tool({ input: any, run: () => {
       setTimeout(() => { throw new Error("thrown later"); });
       void Promise.reject(new Error("rejected later"));
       spawn("true").stdin.write("x".repeat(4_000_000)); // it does not read it
       return "fine";
     } }),
   } });`,
);
writeFileSync(
  join(folder, "biplane.yaml"),
  `name: test-gateway
mode: production
listen: http://127.0.0.1:0
servers: [./kit.mjs]
store: ./gateway.db
logging: { level: debug, format: json }
auth:
  tokens: [{ id: ada, token: "\${ADA_TOKEN}" }]
policies:
  - tool: refund
    arguments: { amount: { max: 10 } }
    allow: true
  - tool: refund
    ask: "Refund {arguments.amount}?"
  - tool: echo
    allow: true
  - tool: stray
    allow: true
`,
);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(words: readonly string[], input = ""): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ADA_TOKEN: token } };
    const child = execFile(process.execPath, [program, ...words], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

describe("a server that is started from its config file", () => {
  let child: ChildProcess;
  let url = "";
  const log: string[] = [];

  beforeAll(async () => {
    child = spawn(process.execPath, [program, "serve"], {
      cwd: folder,
      env: { ...process.env, ADA_TOKEN: token },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const lines = createInterface(child.stderr as NodeJS.ReadableStream);
    lines.on("line", (line) => log.push(line));
    await new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        url ||= /(http:\/\/[\d.:]+)\/mcp/.exec(line)?.[1] ?? "";
        if (/Stop with/.test(line)) resolve();
      });
      child.once("exit", () => reject(new Error(log.join("\n"))));
    });
  }, 30_000);

  afterAll(async () => {
    child.kill();
    await once(child, "exit");
  });

  const execute = async (tool: string, input: object, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const body = JSON.stringify({ tool, arguments: input });
    const response = await fetch(`${url}/mcp/execute`, { method: "POST", headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test("accepts only callers with a token", async () => {
    expect((await execute("refund", { amount: 1 }, "wrong")).status).toBe(401);
    expect(await execute("refund", { amount: 1 })).toMatchObject({ status: 200, body: { result: "refunded 1" } });
  });

  test("asks where a rule asks, and continues after approval in the terminal", async () => {
    expect((await execute("refund", { amount: 500 })).status).toBe(202);
    const listed = await run(["approvals", "list"]);
    expect(listed.stdout).toContain("Refund 500?");
    expect((await run(["approvals", "approve", "--all"])).stdout).toContain("approved");
    expect(await execute("refund", { amount: 500 })).toMatchObject({ status: 200, body: { result: "refunded 500" } });
    expect((await execute("refund", { amount: 500 })).status).toBe(202);
    expect((await run(["approvals", "reject", "--all", "--reason", "enough"])).code).toBe(0);
    expect(await execute("refund", { amount: 500 })).toMatchObject({
      status: 403,
      body: { message: "The call was not approved: enough" },
    });
  }, 30_000);

  test("keeps a secret that was set while it runs, and never reveals it", async () => {
    const secret = "correct-horse-battery-9";
    const set = await run(["secrets", "set", "TILL_KEY"], `${secret}\n`);
    expect(set).toMatchObject({ code: 0 });
    const listed = await run(["secrets", "list"]);
    expect(listed.stdout).toContain("TILL_KEY");
    expect(listed.stdout + set.stdout).not.toContain(secret);
    await expect
      .poll(async () => (await execute("echo", { text: `it is ${secret}` })).body["result"], { timeout: 10_000 })
      .toBe("it is [REDACTED:TILL_KEY]");
  }, 30_000);

  test("has a complete audit log and metrics, and reports that it is ready", async () => {
    expect((await run(["audit", "verify"])).stdout).toContain("The audit log is intact");
    const shown = await run(["audit", "show", "--n", "200"]);
    expect(shown.stdout).toMatch(/"decision":"approved","rules":\["unnamed rule \w{12}"\],"approvedBy":"person/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect(log.join("\n")).not.toContain(token);
  }, 30_000);

  test("goes on after errors that a tool's code throws when its call is over, and logs them", async () => {
    expect(await execute("stray", {})).toMatchObject({ status: 200, body: { result: "fine" } });
    await expect.poll(() => log.filter((line) => /was not handled/.test(line)).length).toBe(3);
    for (const fault of ["thrown later", "rejected later", "EPIPE"]) expect(log.join("\n")).toContain(fault);
    expect(await execute("echo", { text: "still here" })).toMatchObject({ body: { result: "still here" } });
  });

  test("explains a decision", async () => {
    const told = await run(["policy", "test", "--tool", "refund", "--argument", "amount=500"]);
    expect(told.stdout).toContain("Refund 500?");
  });

  test("refuses its admin API to people who are not logged in", async () => {
    for (const path of ["/api/approvals", "/api/secrets", "/api/audit"])
      expect((await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  });
});

describe("refuses to start", () => {
  const serveWith = (...flags: string[]) =>
    run(["serve", "./kit.mjs", "--config", join(folder, "empty.yaml"), ...flags]);
  beforeAll(() => writeFileSync(join(folder, "empty.yaml"), "name: empty\n"));

  test("in production without a policy", async () => {
    const { code, stderr } = await serveWith("--mode", "production");
    expect(code).toBe(1);
    expect(stderr).toContain("without a policy");
  });

  test("on an address that others can reach, without credentials", async () => {
    const { code, stderr } = await serveWith("--url", "http://0.0.0.0:0");
    expect(code).toBe(1);
    expect(stderr).toMatch(/authenticate|auth/);
  });

  test("with an unknown key, and points at it", async () => {
    writeFileSync(join(folder, "wrong.yaml"), "name: x\nlimits:\n  perPrincipal: { perSecond: 1, burts: 2 }\n");
    const { code, stderr } = await run(["serve", "--config", join(folder, "wrong.yaml")]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/wrong\.yaml:3:\d+: .*burts.*did you mean burst/s);
  });
});

test("over stdio, every request counts against the rate of the config file", async () => {
  const config = join(folder, "limited.yaml");
  writeFileSync(
    config,
    "name: limited\nservers: [./kit.mjs]\nlimits: { perPrincipal: { perSecond: 0.001, burst: 3 } }\n",
  );
  const methods = ["ping", "nonsense", "tools/list", "ping", "tools/list"];
  const lines = methods.map((method, id) => JSON.stringify({ jsonrpc: "2.0", id, method }));
  const { stdout } = await run(["serve", "--stdio", "--config", config], `${lines.join("\n")}\n`);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; error?: { code: number; message: string } });
  expect(answers.map(({ error }) => error?.code)).toEqual([undefined, -32601, undefined, -32000, -32000]);
  expect(answers[4]).toMatchObject({
    id: 4,
    error: { code: -32000, message: "Rate limit exceeded. Please try again later." },
  });
});

test("a pack named on the command line keeps its options of the config file", async () => {
  const { withPacks, packFlags } = await import("../../packages/biplane/src/cli/pack-flags.ts");
  const written = { workspace: { root: "/notes", maxReadBytes: 10 } };
  const asked = (...words: string[]) => withPacks(written, packFlags(words));
  expect(asked("--pack", "workspace")).toEqual(written);
  expect(asked("--pack=workspace=./other,web", "--pack", "memory")).toEqual({
    workspace: { root: "./other", maxReadBytes: 10 },
    web: {},
    memory: { root: "./memory" },
  });
});

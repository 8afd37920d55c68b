import { setImmediate as nextTurn } from "node:timers/promises";
import { ask, environment, server, tool } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { serveMemory } from "../../packages/core/src/wire/serve-memory.ts";
import { modernMeta } from "../wire/endpoints.ts";

/** Writes data of every kind as fast as it can, and says what is done once it is. */
const [location = "", round = "0"] = process.argv.slice(2);
const store = await openStore(location);
const audit = openAudit({ store, strict: true, onFault: (fault) => say("fault", String(fault)) });
const approvals = openApprovals({ store, audit });
const secrets = await openSecrets({ store, key: Buffer.alloc(32, 7), environment: {} });
const subject = server({
  name: "subject",
  version: "1",
  tools: {
    act: tool({
      input: { type: "object", properties: { n: {} } },
      run: ({ n }) => {
        say("ran", String(n));
        return "acted";
      },
    }),
    job: tool({ task: "required", run: async () => "the result of a job" }),
  },
  policies: [(_, name) => (name === "act" ? ask("May it?") : { verdict: "allow" })],
  approver: approvals,
  audit,
  store,
  limits: false,
  secrets,
});
const ada = { kind: "person", id: "ada", scopes: [] } as const;
const agent = { kind: "token", id: "agent", scopes: [] } as const;

function say(what: string, name: string): void {
  process.stdout.write(`${what} ${name}\n`);
}

async function setSecrets(): Promise<never> {
  for (let n = 0; ; n++) {
    const name = `S${round}_${n % 50}`;
    await secrets.set(name, `value-${round}-${n}`);
    await nextTurn(); // SQLite answers at once, and the others need a turn
    say("secret", `${name} value-${round}-${n}`);
  }
}

/** Two calls come for each approval, and one of them gets it. */
async function approve(): Promise<never> {
  for (let n = 0; ; n++) {
    const input = { n: `${round}-${n}` };
    const call = () => subject.call("act", input, { principal: agent, patienceMs: 0 });
    const id = await call().catch((error: { details: { approval: { id: string } } }) => error.details.approval.id);
    say("waiting", String(id));
    await approvals.answer([String(id)], { verdict: "approve" }, ada);
    say("approved", String(id));
    if (n % 2 === 1) continue;
    const both = await Promise.allSettled([call(), call()]);
    if (both.some(({ status }) => status === "fulfilled")) say("used", String(id));
  }
}

async function putRecords(): Promise<never> {
  for (let n = 0; ; n++) {
    await store.put("notes", `${round}-${n}`, { n });
    await nextTurn();
    say("record", `${round}-${n} ${n}`);
  }
}

async function play(): Promise<never> {
  await using game = environment({
    name: "countdown",
    version: "1",
    start: () => ({ left: 4 }),
    observe: ({ left }) => ({ left }),
    tools: (define) => ({ go: define({ run: (_, call) => void call.state.left-- }) }),
    reward: ({ after }) => (after.left === 0 ? 1 : 0),
    status: ({ left }) => ({ terminated: left === 0 }),
  });
  for (let batch = 0; ; batch++) {
    const run = `run-${round}-${batch}`;
    await using envs = await make(game, { rows: seedRows([1, 2, 3, 4, 5, 6, 7, 8]) });
    for await (const { trace } of rollout(envs, { agent: randomAgent(), store, run, concurrency: 4, env: {} }))
      say("rollout", `${run} ${trace.rollout} ${trace.steps.length}`);
  }
}

function runTasks(): void {
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  let id = 0;
  const next = () =>
    channel.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: ++id,
        method: "tools/call",
        params: { name: "job", arguments: {}, _meta: modernMeta(capabilities) },
      }),
    );
  const channel = serveMemory(
    subject,
    agent,
  )({
    onMessage: (text) => {
      const { result } = JSON.parse(text) as { result?: { taskId?: string } };
      if (result?.taskId === undefined) return;
      say("task", result.taskId);
      setImmediate(next);
    },
    onOversize: () => undefined,
    onClose: () => undefined,
  });
  next();
}

runTasks();
say("ready", round);
await Promise.all([setSecrets(), approve(), putRecords(), play()]);

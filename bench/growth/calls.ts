import { rules, server, tool } from "biplane";
import type { Server } from "biplane";
import { LiveCall, createRedactor, serverOf } from "@biplane/core/internal";
import { cpuOf } from "./growth.ts";
import type { Growth } from "./growth.ts";

interface Sizes {
  readonly sizes: readonly number[];
  readonly rounds: number;
}

/** A server with many tools: its definition, its list in pages, a call. */
export async function measureTools(growth: Growth, { sizes, rounds }: Sizes): Promise<void> {
  const define = growth.figure("tools_define", { unit: "µs CPU", bound: "linear" });
  const list = growth.figure("tools_list", { unit: "µs CPU", bound: "linear" });
  const call = growth.figure("tools_call", { unit: "µs CPU", bound: "constant" });
  await repeat(rounds, sizes, async (size, isWarm) => {
    const make = () => server({ name: "many", tools: toolsOf(size) });
    const defined = await cpuOf(make, timesOf(size));
    const many = make();
    const { url } = await many.serve({ url: "http://127.0.0.1:0", pageSize: 100 });
    const other = tool({ name: "other", run: () => "other" });
    const listed = await cpuOf(async () => {
      many.add(other).remove(other); // so that nothing of the list is kept
      await listAll(url, size);
    }, timesOf(size));
    const called = await cpuOfCall(many, `tool_${size >> 1}`);
    await many.close();
    if (!isWarm) return;
    define.add(size, defined);
    list.add(size, listed);
    call.add(size, called);
  });
}

/** A call that the last of many rules allows. */
export async function measureRules(growth: Growth, { sizes, rounds }: Sizes): Promise<void> {
  const figure = growth.figure("rules_call", { unit: "µs CPU", bound: "linear" });
  const subjects = new Map(
    sizes.map((size) => {
      const others = Array.from({ length: size - 1 }, (_, at) => ({ tool: `other_${at}_*`, deny: "It is closed." }));
      const policies = [rules([...others, { tool: "*", allow: true }])];
      return [size, server({ name: "ruled", tools: toolsOf(1), policies })];
    }),
  );
  await repeat(rounds, sizes, async (size, isWarm) => {
    const cpu = await cpuOfCall(subjects.get(size) as Server, "tool_0");
    if (isWarm) figure.add(size, cpu);
  });
}

/** Reading many secrets, and a result of ten kilobytes without any of them. */
export async function measureSecrets(growth: Growth, { sizes, rounds }: Sizes): Promise<void> {
  const define = growth.figure("secrets_define", { unit: "µs CPU", bound: "linear" });
  const call = growth.figure("secrets_call", { unit: "µs CPU", bound: "constant" });
  const lines = Array.from({ length: 150 }, (_, at) => `Line ${at} of a page: nothing in it has to be hidden here.`);
  const page = tool({ name: "page", run: () => lines.join("\n") });
  const secretsOf = (size: number) =>
    Array.from({ length: size }, (_, at) => ({ name: `S${at}`, value: `secret-${at}-${Math.sin(at)}-value` }));
  const subjects = new Map(
    sizes.map((size) => {
      const secrets = Object.fromEntries(secretsOf(size).map(({ name, value }) => [name, value]));
      return [size, server({ name: "secret", tools: [page], secrets })];
    }),
  );
  await repeat(rounds, sizes, async (size, isWarm) => {
    const secrets = secretsOf(size);
    const defined = await cpuOf(() => createRedactor(secrets), timesOf(size));
    const called = await cpuOfCall(subjects.get(size) as Server, "page");
    if (!isWarm) return;
    define.add(size, defined);
    call.add(size, called);
  });
}

/** Many mounts of ten tools each: mounting them, their common list, a call. Each child has a secret of its own. */
export async function measureMounts(growth: Growth, { sizes, rounds }: Sizes): Promise<void> {
  const define = growth.figure("mounts_define", { unit: "µs CPU", bound: "linear" });
  const list = growth.figure("mounts_list", { unit: "µs CPU", bound: "linear" });
  const call = growth.figure("mounts_call", { unit: "µs CPU", bound: "linear" });
  await repeat(rounds, sizes, async (size, isWarm) => {
    const children = Array.from({ length: size }, (_, at) =>
      server({ name: `m${at}`, tools: toolsOf(10, at * 10), secrets: { key: `key-of-the-mount-${at}` } }),
    );
    const make = () => {
      const parent = server({ name: "parent" });
      for (const child of children) parent.mount(serverOf(child).name, child);
      return parent;
    };
    const defined = await cpuOf(make, timesOf(size * 10));
    const parent = make();
    const { url } = await parent.serve({ url: "http://127.0.0.1:0", pageSize: 100 });
    const other = tool({ name: "other", run: () => "other" });
    const listed = await cpuOf(
      async () => {
        parent.add(other).remove(other);
        await listAll(url, size * 10);
      },
      timesOf(size * 10),
    );
    const called = await cpuOfCall(parent, `tool_${size * 5}`);
    await parent.close();
    if (!isWarm) return;
    define.add(size, defined);
    list.add(size, listed);
    call.add(size, called);
  });
}

/** Sizes in interleaved rounds, so that each is measured under the same load. The first round warms up. */
async function repeat(
  rounds: number,
  sizes: readonly number[],
  work: (size: number, isWarm: boolean) => Promise<void>,
): Promise<void> {
  for (let round = 0; round <= rounds; round++) for (const size of sizes) await work(size, round > 0);
}

/** Small sizes are measured several times, so that each measurement takes long enough. */
function timesOf(size: number): number {
  return Math.ceil(5000 / size);
}

function toolsOf(count: number, from = 0) {
  return Array.from({ length: count }, (_, at) =>
    tool({
      name: `tool_${from + at}`,
      description: "One of very many tools, with a description of usual length",
      input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
      run: () => ({ sum: 3 }),
    }),
  );
}

/** Reads all pages of the list, and checks their number of tools. */
async function listAll(url: string, count: number): Promise<void> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: cursor ? { cursor } : {} });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/mcp`, { method: "POST", body, headers });
    const { result } = (await response.json()) as { result: { tools: unknown[]; nextCursor?: string } };
    found += result.tools.length;
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  if (found !== count) throw new Error(`The list has ${found} tools instead of ${count}.`);
}

async function cpuOfCall(subject: Server, name: string): Promise<number> {
  const core = serverOf(subject);
  const caller = {
    route: "direct",
    principal: { kind: "local", id: "bench", scopes: [] },
    agent: { agentId: "bench", model: undefined, requestId: "1", metadata: {} },
  } as const;
  const cpu = await cpuOf(async () => {
    for (let at = 0; at < callCount; at++) {
      const outcome = await core.perform(new LiveCall({ tool: name, input: {}, ...caller }));
      if (outcome.status !== "done") throw new Error(`A call of ${name} ended as ${outcome.status}.`);
    }
  });
  return cpu / callCount;
}

const callCount = 5000;

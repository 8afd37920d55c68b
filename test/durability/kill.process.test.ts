import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { readTrace } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { bundleChild } from "../support/bundle-child.ts";
import type { BundledChild } from "../support/bundle-child.ts";
import { describeEngines } from "../support/each-engine.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const kills = Number(process.env["BIPLANE_SOAK_KILLS"] ?? (isSoak ? 200 : 2));
let child: BundledChild | undefined;
beforeAll(async () => {
  child = await bundleChild(new URL("./writing-child.ts", import.meta.url));
});
afterAll(() => child?.[Symbol.dispose]());

describeEngines("a server", ({ open, location }) => {
  test(
    `that is killed ${kills} times while it writes has lost nothing that it acknowledged, and its log verifies`,
    async () => {
      const total = new Map<string, number>();
      let at = "";
      let secrets = new Map<string, string>();
      for (let round = 0; round < kills; round++) {
        if (round % 20 === 0) {
          at = await location(); // a new store now and then, so that checking all of it stays quick
          secrets = new Map();
        }
        const said = await writeUntilKilled(at, round);
        for (const { what } of said) total.set(what, (total.get(what) ?? 0) + 1);
        expect(said.filter(({ what }) => what === "fault")).toEqual([]);
        const store = await open(at);
        await checkSecrets(store, said, secrets);
        await checkApprovals(store, said);
        await checkTasks(store, said);
        for (const [key = "", n] of wordsOf(said, "record"))
          expect(await store.get("notes", key)).toEqual({ n: Number(n) });
        for (const [run = "", rollout = "", steps] of wordsOf(said, "rollout"))
          expect((await readTrace(store, { run, rollout }))?.steps).toHaveLength(Number(steps));
        expect(await verifyAudit(store)).toMatchObject({ ok: true });
        await store.close();
      }
      expect([...total.keys()].sort()).toEqual(kinds);
      if (isSoak) console.log(`acknowledged in ${kills} lives: ${JSON.stringify(Object.fromEntries(total))}`);
    },
    isSoak ? 3_600_000 : 180_000,
  );
});

/** What the child says it has done. */
const kinds = ["approved", "ran", "ready", "record", "rollout", "secret", "task", "used", "waiting"];

interface Said {
  readonly what: string;
  readonly name: string;
}

function wordsOf(said: readonly Said[], wanted: string): string[][] {
  return said.filter(({ what }) => what === wanted).map(({ name }) => name.split(" "));
}

async function checkSecrets(store: SqlStore, said: readonly Said[], secrets: Map<string, string>): Promise<void> {
  for (const [key = "", value = ""] of wordsOf(said, "secret")) secrets.set(key, value);
  const kept = await openSecrets({ store, key: Buffer.alloc(32, 7), environment: {} });
  const last = wordsOf(said, "secret").at(-1)?.[0];
  for (const [name, value] of secrets) {
    // The one that was being set next may be there without having been acknowledged.
    if (name !== last && kept.get(name) !== value) expect(nextOf(value)).toContain(kept.get(name));
    expect(kept.get(name)).toMatch(/^value-\d+-\d+$/);
  }
}

/** A value of the same name set fifty rounds later. */
function nextOf(value: string): string[] {
  const [, round = "", n = ""] = /^value-(\d+)-(\d+)$/.exec(value) ?? [];
  return [`value-${round}-${Number(n) + 50}`];
}

/** An approval lets one call run, and what ran has used it up. */
async function checkApprovals(store: SqlStore, said: readonly Said[]): Promise<void> {
  const approvals = openApprovals({ store });
  const statuses = new Map<string, string>();
  for (const { what, name } of said) if (["waiting", "approved", "used"].includes(what)) statuses.set(name, what);
  const decisions = await store.db.selectFrom("decisions").select("approval").execute();
  const decided = new Set(decisions.map(({ approval }) => approval));
  for (const [id, status] of statuses) {
    const approval = await approvals.get(id);
    // The second of two calls asks again if it comes after the first used the approval up.
    const further = {
      waiting: ["waiting", "approved"],
      approved: ["approved", "used", "waiting"],
      used: ["used", "waiting"],
    };
    if (status !== "waiting") expect(decided, `the decision about ${id}`).toContain(id);
    expect(further[status as keyof typeof further], `${status} ${id}`).toContain(approval?.status);
  }
  const ran = wordsOf(said, "ran").map(([input = ""]) => input);
  expect(ran).toHaveLength(new Set(ran).size);
  const open = await store.db.selectFrom("grants").select(["approval"]).where("ended_at", "is", null).execute();
  const unused = new Set(open.map(({ approval }) => approval));
  const inputs = await store.db.selectFrom("approvals").select(["id", "input"]).execute();
  const ids = new Map(inputs.map(({ id, input }) => [(JSON.parse(input) as { n: string }).n, id]));
  for (const input of ran) expect(unused, `the grant of ${input}`).not.toContain(ids.get(input));
  // The audit log is strict: the line of a call is stored before the call returns.
  const lines = await queryAudit(store, { tool: "act", code: "done", limit: Infinity });
  const logged = new Set(lines.map((line) => (line.kind === "call" ? (line.input as { n: string }).n : "")));
  const used = new Set(wordsOf(said, "used").map(([id]) => id));
  for (const [input, id] of ids) if (used.has(id)) expect(logged).toContain(input);
}

async function checkTasks(store: SqlStore, said: readonly Said[]): Promise<void> {
  for (const [name = ""] of wordsOf(said, "task")) {
    const task = await store.get("tasks", name);
    expect(["working", "completed"]).toContain(task?.["status"]);
    if (task?.["status"] === "completed")
      expect(task["result"]).toMatchObject({ content: [{ text: "the result of a job" }] });
  }
}

async function writeUntilKilled(location: string, round: number): Promise<Said[]> {
  const writer = spawn(process.execPath, [child?.file ?? "", location, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: Said[] = [];
  const killAfter = 20 + ((round * 7919) % 300);
  const lines = createInterface(writer.stdout);
  lines.on("line", (line) => {
    const [, what = "", name = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    said.push({ what, name });
    if (said.length === killAfter) writer.kill("SIGKILL");
  });
  await Promise.all([once(writer, "exit"), once(lines, "close")]);
  expect(said.length).toBeGreaterThanOrEqual(killAfter);
  return said;
}

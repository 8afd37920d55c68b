import type { SqlStore } from "biplane/store";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { entry } from "../../test/governance/audit/fixture.ts";
import { writeManyTraces } from "../page/many-traces.ts";
import { cpuOf } from "./growth.ts";
import type { Growth } from "./growth.ts";

/** The audit log: writing a line, a page, a page of a rare tool, and the check of each line. */
export async function measureAudit(growth: Growth, store: SqlStore, sizes: readonly number[]): Promise<void> {
  const write = growth.figure("audit_write_line", { unit: "µs CPU", bound: "constant" });
  const page = growth.figure("audit_page", { unit: "µs CPU", bound: "constant" });
  const rare = growth.figure("audit_rare_tool", { unit: "µs CPU", bound: "constant" });
  const verify = growth.figure("audit_verify_line", { unit: "µs CPU", bound: "constant" });
  let written = 0;
  for (const size of sizes) {
    const added = size - written;
    write.add(size, (await cpuOf(() => writeLines(store, { from: written, to: size }))) / added);
    written = size;
    for (let round = 0; round < 7; round++) {
      page.add(size, await cpuOf(() => expectLines(queryAudit(store, { limit: 100 }), 100)));
      rare.add(size, await cpuOf(() => expectLines(queryAudit(store, { tool: rareTool, limit: 100 }), rareCount)));
    }
    for (let round = 0; round < 2; round++) verify.add(size, (await cpuOf(() => expectVerified(store, size))) / size);
  }
}

/** A page of the list of a run's traces, in the order of their rewards and with a filter. */
export async function measureTraces(growth: Growth, store: SqlStore, sizes: readonly number[]): Promise<void> {
  const write = growth.figure("traces_write", { unit: "µs CPU each", bound: "constant" });
  const page = growth.figure("traces_page", { unit: "µs CPU", bound: "constant" });
  const query = { order: "reward", isDescending: true, limit: 100, reason: "max_steps" } as const;
  for (const size of sizes) {
    const run = `run-${size}`;
    write.add(size, (await cpuOf(() => writeManyTraces(store, { run, count: size }))) / size);
    for (let round = 0; round < 7; round++) page.add(size, await cpuOf(() => pageOfTraces(store, run, query)));
  }
}

const rareTool = "rare_tool";
const rareCount = 10;

/** The rare tool is called among the first lines only. */
async function writeLines(store: SqlStore, { from, to }: { from: number; to: number }): Promise<void> {
  await using audit = openAudit({
    store,
    onFault: (fault) => {
      throw fault;
    },
  });
  for (let at = from; at < to; at++) {
    const tool = at % 100 === 0 && at < rareCount * 100 ? rareTool : `tool_${at % 20}`;
    void audit.record(entry(`r${at}`, { tool, principal: { kind: "token", id: `agent-${at % 50}` } }));
    if (at % 5000 === 4999) await audit.flush();
  }
  await audit.flush();
}

async function expectLines(reading: Promise<readonly unknown[]>, count: number): Promise<void> {
  const { length } = await reading;
  if (length !== count) throw new Error(`The page has ${length} lines instead of ${count}.`);
}

async function expectVerified(store: SqlStore, lines: number): Promise<void> {
  const verdict = await verifyAudit(store);
  if (!verdict.ok || verdict.lines !== lines) throw new Error(`The log is not sound: ${JSON.stringify(verdict)}`);
}

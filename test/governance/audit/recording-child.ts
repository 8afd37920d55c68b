import { writeSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { entry } from "./fixture.ts";

/** Records calls in its own way, and says on standard output what it did: see processes.process.test.ts. */
const [file = "", way = "", name = "", count = ""] = process.argv.slice(2);
const store = await openStore(file);
const audit = openAudit({ store, strict: way === "strict", onFault: (fault) => console.error(fault) });
const ways: Record<string, () => Promise<unknown>> = {
  all,
  burst,
  strict: () => Promise.all([1, 2, 3, 4].map(strict)),
};
await ways[way]?.();

/** So many, as fast as it goes. */
async function all(): Promise<void> {
  for (let at = 0; at < Number(count); at++) {
    void audit.record(entry(`${name}${at}`));
    if (at % 50 === 0) await nextTurn();
  }
  await audit.close();
  await store.close();
}

/** Forever, saying after each turn how many there were and when. */
async function burst(): Promise<void> {
  for (let at = 0; ;) {
    for (let end = at + 5; at < end; at++) void audit.record(entry(`${at}`));
    writeSync(1, `${at} ${performance.now()}\n`);
    await pause(1);
  }
}

/** Forever, saying what was promised to be there. */
async function strict(lane: number): Promise<void> {
  for (let at = 0; ; at++) {
    await audit.record(entry(`${lane}.${at}`));
    writeSync(1, `${lane}.${at}\n`);
  }
}

import { goPeers, rustPeers, sdk } from "../mcp/contenders.ts";
import type { Era } from "../mcp/requests.ts";
import type { Subject } from "../mcp/subject.ts";
import { Subjects } from "../mcp/subjects.ts";
import { absentPeers, startCallServers } from "./call-servers.ts";
import { rounded } from "./figures.ts";
import type { AbsentPeer, Amount } from "./figures.ts";

/** Resident memory of one server, in megabytes, after each of `calls`. */
export interface MemoryRow {
  readonly server: string;
  readonly era: Era;
  readonly calls: readonly number[];
  readonly megabytes: readonly number[];
}

export interface Memory {
  readonly rows: readonly MemoryRow[];
  readonly absent: readonly AbsentPeer[];
}

/** Memory after very many calls. Peers get a tenth of them, because some are slow. */
export async function measureMemory({ isQuick }: Amount): Promise<Memory> {
  const calls = isQuick ? 20_000 : 1_000_000;
  using subjects = new Subjects();
  await startCallServers(subjects, others);
  const rows: MemoryRow[] = [];
  // rmcp forgets a session that is idle for five minutes, so the peers, which are last, are called first.
  for (const subject of subjects.all.toReversed()) {
    const { name, era, isBare } = subject.contender;
    process.stderr.write(`Calling ${name}, ${era} …\n`);
    rows.push({
      server: name,
      era,
      ...(await callMany(subject, isBare || name.startsWith("biplane") ? calls : calls / 10)),
    });
  }
  return { rows: rows.toReversed(), absent: absentPeers(subjects) };
}

const others = [
  ...sdk.filter(({ workload, era }) => workload === "call" && era === "2026"),
  ...[...goPeers, ...rustPeers].filter(({ era }) => era !== "2025 stateless"),
];

async function callMany(subject: Subject, total: number): Promise<Pick<MemoryRow, "calls" | "megabytes">> {
  const calls: number[] = [];
  const megabytes: number[] = [];
  // The first ones compile and fill caches.
  for (const until of [total / 100, total / 4, total / 2, (total * 3) / 4, total]) {
    await subject.drive(until - (calls.at(-1) ?? 0));
    calls.push(until);
    megabytes.push((await subject.child.memory()).rss / 1e6);
  }
  return { calls, megabytes: rounded(megabytes, 1) };
}

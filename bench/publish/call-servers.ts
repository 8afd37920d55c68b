import { governed, ours } from "../mcp/contenders.ts";
import type { Contender } from "../mcp/subject.ts";
import type { Absent, Subjects } from "../mcp/subjects.ts";
import type { AbsentPeer } from "./figures.ts";

/** Starts our server in both protocol versions with a bare one beside each, our server with full governance, and peers. */
export async function startCallServers(subjects: Subjects, peers: readonly Contender[]): Promise<void> {
  for (const contender of ours.filter(({ name, workload }) => name === "biplane, zod" && workload === "call"))
    await subjects.startBareFor(await subjects.start(contender));
  await subjects.start(governed);
  await subjects.startPeers(peers);
}

export function absentPeers({ absent }: { readonly absent: readonly Absent[] }): AbsentPeer[] {
  return absent.map(({ contender: { name, era }, why }) => ({ name, era, why }));
}

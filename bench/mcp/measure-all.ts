import { coldStarts } from "./cold-start.ts";
import type { ColdStart } from "./cold-start.ts";
import { goPeers, governed, ours, peers, rustPeers, sdk } from "./contenders.ts";
import type { Subject } from "./subject.ts";
import { Subjects } from "./subjects.ts";
import type { Absent } from "./subjects.ts";

export interface Amount {
  readonly rounds: number;
  readonly requests: number;
  /** How often each stdio server is started. */
  readonly starts: number;
  /** Only the bare server and ours, and no cold starts. */
  readonly onlyOurs?: boolean;
}

export interface AllMeasured {
  readonly subjects: readonly Subject[];
  readonly absent: readonly Absent[];
  readonly colds: readonly ColdStart[];
}

/** Our servers, a bare one beside each that sends the same bytes, the peers, and the start of stdio servers. */
export async function measureAll(amount: Amount): Promise<AllMeasured> {
  const measured = await measureServers(amount);
  if (amount.onlyOurs) return { ...measured, colds: [] };
  process.stderr.write(`Measuring the cold start of stdio servers, ${amount.starts} times …\n`);
  return { ...measured, colds: await coldStarts(amount.starts) };
}

async function measureServers({ onlyOurs = false, ...amount }: Amount): Promise<Omit<AllMeasured, "colds">> {
  using subjects = new Subjects();
  for (const contender of [...ours, governed]) {
    const subject = await subjects.start(contender);
    if (contender.name === "biplane, zod") await subjects.startBareFor(subject);
  }
  if (!onlyOurs) await subjects.startPeers([...sdk, ...peers, ...goPeers, ...rustPeers]);
  await subjects.measure(amount);
  return { subjects: subjects.all, absent: subjects.absent };
}

import { measureAll } from "../mcp/measure-all.ts";
import type { Era } from "../mcp/requests.ts";
import { ratiosOf } from "../mcp/verdict.ts";
import { absentPeers } from "./call-servers.ts";
import { figuresOf, rounded } from "./figures.ts";
import type { AbsentPeer, Amount, Figures } from "./figures.ts";

export interface PeerRow extends Figures {
  readonly server: string;
  readonly era: Era;
  readonly workload: string;
}

export interface Peers {
  readonly rounds: number;
  readonly requests: number;
  readonly rows: readonly PeerRow[];
  readonly absent: readonly AbsentPeer[];
  /** Milliseconds from the start of a stdio server to its first tool list, for each start. */
  readonly coldStarts: readonly { readonly server: string; readonly ms: readonly number[] }[];
  /** Those of `npm run bench:mcp`. */
  readonly ratios: Readonly<Record<string, number>>;
}

/** What `npm run bench:mcp` measures. */
export async function measurePeers({ isQuick }: Amount): Promise<Peers> {
  const amount = isQuick ? { rounds: 3, requests: 1000, starts: 3 } : { rounds: 7, requests: 5000, starts: 15 };
  const { subjects, absent, colds } = await measureAll(amount);
  const found = Object.entries(ratiosOf(subjects, colds));
  return {
    rounds: amount.rounds,
    requests: amount.requests,
    rows: subjects.map((subject) => {
      const { name, era, workload } = subject.contender;
      return { server: name, era, workload, ...figuresOf(subject) };
    }),
    absent: absentPeers({ absent }),
    coldStarts: colds.map(({ name, rounds }) => ({ server: name, ms: rounded(rounds, 1) })),
    ratios: Object.fromEntries(
      found.flatMap(([name, ratio]) => (ratio === undefined ? [] : [[name, Number(ratio.toFixed(3))]])),
    ),
  };
}

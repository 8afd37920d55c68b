import { list } from "../mcp/contenders.ts";
import type { Era } from "../mcp/requests.ts";
import { Subjects } from "../mcp/subjects.ts";
import { figuresOf } from "./figures.ts";
import type { Amount, Figures } from "./figures.ts";

export interface ListRow extends Figures {
  readonly server: string;
  readonly era: Era;
  readonly tools: number;
}

export interface Lists {
  readonly rounds: number;
  readonly requests: number;
  readonly rows: readonly ListRow[];
}

/** `tools/list` with few and many tools: ours, a bare server that sends the same bytes, and the official SDK. */
export async function measureLists({ isQuick }: Amount): Promise<Lists> {
  const amount = isQuick ? { rounds: 3, requests: 500 } : { rounds: 7, requests: 4000 };
  using subjects = new Subjects();
  for (const tools of [1, 100, 1000])
    for (const [era, mode] of [
      ["2026", "2026"],
      ["2025 session", "2025-json"],
    ] as const) {
      const count = String(tools);
      const ours = await subjects.start(list(era, "biplane", "biplane.mjs", ["zod", count], 1));
      await subjects.startBareFor(ours);
      await subjects.startPeers([list(era, "SDK v2", "sdk.mjs", [mode, count], 0.5 / Math.max(1, tools / 20))]);
    }
  await subjects.measure(amount);
  const rows = subjects.all.map((subject) => {
    const { name, era, tools = 1 } = subject.contender;
    return { server: name, era, tools, ...figuresOf(subject) };
  });
  return { ...amount, rows };
}

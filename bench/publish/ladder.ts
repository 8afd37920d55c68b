import { join } from "node:path";
import { call } from "../mcp/contenders.ts";
import type { Era } from "../mcp/requests.ts";
import type { Subject } from "../mcp/subject.ts";
import { Subjects } from "../mcp/subjects.ts";
import { figuresOf } from "./figures.ts";
import type { Amount, Figures } from "./figures.ts";

/** One rung of governance, in a server with so many tools. */
export interface LadderRow extends Figures {
  readonly rung: string;
  readonly era: Era;
  readonly tools: number;
}

export interface Ladder {
  readonly rounds: number;
  readonly requests: number;
  readonly rows: readonly LadderRow[];
}

/** `tools/call` with one more part of governance on each rung, beside a bare server that sends the same bytes. */
export async function measureLadder({ isQuick }: Amount): Promise<Ladder> {
  const amount = isQuick ? { rounds: 3, requests: 500 } : { rounds: 7, requests: 4000 };
  const rows: LadderRow[] = [];
  for (const tools of [1, 100, 1000]) {
    process.stderr.write(`The ladder with ${tools} tools …\n`);
    using subjects = new Subjects();
    for (const era of eras) await startRungs(subjects, { era, tools });
    await subjects.measure(amount);
    rows.push(...subjects.all.map((subject) => rowOf(subject, tools)));
  }
  return { ...amount, rows };
}

const eras = ["2026", "2025 session"] as const;
const rungs = ["schema", "policy", "limits", "redaction", "audit", "strict audit"];
const file = join(import.meta.dirname, "servers", "ladder.mjs");

async function startRungs(subjects: Subjects, { era, tools }: { era: Era; tools: number }): Promise<void> {
  for (const rung of rungs) {
    const share = rung === "strict audit" ? 1 : 4;
    const subject = await subjects.start({ ...call(era, rung, "", [rung, String(tools)], share), file });
    if (rung === "schema") await subjects.startBareFor(subject);
  }
}

function rowOf(subject: Subject, tools: number): LadderRow {
  const { name, era, isBare } = subject.contender;
  return { rung: isBare ? "bare HTTP" : name, era, tools, ...figuresOf(subject) };
}

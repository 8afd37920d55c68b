import { ask, server, tool } from "biplane";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { insertCalls, listCalls } from "../../packages/biplane/src/store/calls.ts";
import { pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { readTrace } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { callRow } from "../../test/store/call-row.ts";
import { entry } from "../../test/governance/audit/fixture.ts";
import { writeManyTraces } from "../page/many-traces.ts";
import type { Peer } from "./subject.ts";

/** One kind of work on a store, `count` times, and what SQLite itself needs for the same rows. */
export interface Workload {
  readonly name: string;
  readonly count: number;
  run(store: SqlStore, round: number): Promise<void>;
  peer?(peer: Peer, round: number): void;
}

const note = { text: "A note of some hundred characters, as programs keep them. ".repeat(3) };
const noteJson = JSON.stringify(note);
const ada = { kind: "person", id: "ada", scopes: [] } as const;
const agent = { kind: "token", id: "agent", scopes: [] } as const;
const onFault = (fault: unknown) => {
  throw fault;
};

/** A line of the audit log is about as long as this. */
const lineJson = "x".repeat(520);

export function workloads(scale: number): readonly Workload[] {
  const times = (count: number) => Math.max(1, Math.round(count * scale));
  return [
    {
      name: "record_write",
      count: times(200),
      run: (store, round) => repeat(times(200), (n) => store.put("notes", `${round}-${n}`, note)),
      peer: (peer, round) => {
        for (let n = 0; n < times(200); n++) peer.write(`note ${round}-${n}`, noteJson);
      },
    },
    {
      name: "record_read",
      count: times(1000),
      run: (store, round) => repeat(times(1000), (n) => store.get("notes", `${round}-${n % times(200)}`)),
      peer: (peer, round) => {
        for (let n = 0; n < times(1000); n++) JSON.parse((peer.read(`note ${round}-${n % times(200)}`) as Row).json);
      },
    },
    {
      name: "audit_group",
      count: times(5000),
      async run(store, round) {
        await using audit = openAudit({ store, onFault });
        for (let n = 0; n < times(5000); n++) void audit.record(entry(`${round}-${n}`));
        await audit.flush();
      },
      peer: (peer, round) => {
        for (let from = 0; from < times(5000); from += 250)
          peer.writeAll(rowsOf(from, Math.min(from + 250, times(5000)), (n) => [`line ${round}-${n}`, lineJson]));
      },
    },
    {
      name: "audit_strict",
      count: times(200),
      async run(store, round) {
        await using audit = openAudit({ store, strict: true, onFault });
        await repeat(times(200), async (n) => audit.record(entry(`${round}-${n}`)));
      },
      peer: (peer, round) => {
        for (let n = 0; n < times(200); n++) peer.write(`strict ${round}-${n}`, lineJson);
      },
    },
    {
      name: "calls_group",
      count: times(2000),
      run: (store, round) =>
        repeat(times(2000) / 200, (part) =>
          insertCalls(
            store,
            rowsOf(part * 200, part * 200 + 200, (n) => callRow(n, round * 10_000 + n)),
          ),
        ),
      peer: (peer, round) => {
        for (let from = 0; from < times(2000); from += 200)
          peer.writeAll(rowsOf(from, from + 200, (n) => [`call ${round}-${n}`, "x".repeat(300)]));
      },
    },
    { name: "calls_page", count: times(20), run: (store) => repeat(times(20), () => listCalls(store, { limit: 100 })) },
    {
      name: "approval_and_grant",
      count: times(30),
      async run(store, round) {
        const approvals = openApprovals({ store });
        const act = tool({ name: "act", input: { type: "object", properties: { n: {} } }, run: () => "acted" });
        const subject = server({ name: "bench", tools: [act], policies: [() => ask("?")], approver: approvals });
        await repeat(times(30), async (n) => {
          const call = () => subject.call("act", { n: `${round}-${n}` }, { principal: agent, patienceMs: 0 });
          const id = await call().catch(
            (error: { details: { approval: { id: string } } }) => error.details.approval.id,
          );
          await approvals.answer([String(id)], { verdict: "approve" }, ada);
          await call();
        });
        await approvals.close();
      },
      // The question, the decision, the grant, its use and the status: five commits.
      peer: (peer, round) => {
        for (let n = 0; n < times(30) * 5; n++) peer.write(`approval ${round}-${n}`, lineJson);
      },
    },
    {
      name: "rollout_with_trace",
      count: times(500),
      run: (store, round) => writeManyTraces(store, { run: `run ${round}`, count: times(500) }),
      peer: (peer, round) => {
        for (let from = 0; from < times(500) * 8; from += 4000)
          peer.writeAll(rowsOf(from, Math.min(from + 4000, times(500) * 8), (n) => [`event ${round}-${n}`, lineJson]));
      },
    },
    {
      name: "trace_read",
      count: times(200),
      run: (store, round) =>
        repeat(times(200), (n) =>
          readTrace(store, { run: `run ${round}`, rollout: `r${n.toString(36).padStart(6, "0")}` }),
        ),
    },
    {
      name: "rollouts_page",
      count: times(20),
      run: (store, round) =>
        repeat(times(20), () =>
          pageOfTraces(store, `run ${round}`, { order: "reward", isDescending: true, limit: 100, reason: "max_steps" }),
        ),
    },
  ];
}

interface Row {
  readonly json: string;
}

async function repeat(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n);
}

function rowsOf<Made>(from: number, to: number, make: (n: number) => Made): Made[] {
  return Array.from({ length: to - from }, (_, at) => make(from + at));
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allow, ask, server, tool } from "biplane";
import type { Policy, Principal, Server } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approvals, ApprovalsOptions } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import type { SqlStore } from "biplane/store";

export const ada: Principal = { kind: "person", id: "ada", scopes: [] };
export const agent: Principal = { kind: "token", id: "agent", scopes: [] };

/** A kit whose refunds a person must approve, on a store in a file. */
export interface Kit extends AsyncDisposable {
  readonly server: Server;
  readonly approvals: Approvals;
  readonly store: SqlStore;
  readonly file: string;
  /** The amounts that were refunded. */
  readonly refunds: number[];
  /** The one call that waits. */
  waiting(): Promise<string>;
}

export interface KitOptions extends Partial<ApprovalsOptions> {
  readonly file?: string;
  readonly policies?: readonly Policy[];
}

export async function openKit(options: KitOptions = {}): Promise<Kit> {
  const folder = options.file === undefined ? mkdtempSync(join(tmpdir(), "biplane-approvals-")) : undefined;
  const file = options.file ?? join(folder as string, "store.db");
  const store = await openStore(file);
  const approvals = openApprovals({ store, pollMs: 5, ...options });
  const refunds: number[] = [];
  const refund = tool({
    name: "refund",
    input: { type: "object", properties: { amount: { type: "number" }, note: { type: "string" } } },
    run: ({ amount }) => {
      refunds.push(Number(amount));
      return `refunded ${String(amount)}`;
    },
  });
  const mine = server({
    name: "kit",
    version: "1",
    tools: [refund],
    policies: options.policies ?? [askAboutRefunds],
    approver: approvals,
    limits: false,
    secrets: { TILL_KEY: "open-sesame-1234" },
    store,
    onFault: () => undefined,
  });
  return {
    server: mine,
    approvals,
    store,
    file,
    refunds,
    waiting: () => firstWaiting(approvals),
    async [Symbol.asyncDispose]() {
      await mine.close();
      await approvals.close();
      await store.close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

const askAboutRefunds: Policy = (_, toolName) => (toolName === "refund" ? ask("Refund it?") : allow());

/** Waits until a call waits. */
async function firstWaiting(approvals: Approvals): Promise<string> {
  const there = await approvals.list({ status: "waiting" });
  if (there[0]) return there[0].id;
  return new Promise((resolve) => {
    const stop = approvals.onChange(({ id, status }) => {
      if (status !== "waiting") return;
      stop();
      resolve(id);
    });
  });
}

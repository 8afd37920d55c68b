import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openStore } from "biplane/store";
import type { AuditEntry } from "../../../packages/core/src/call/audit.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import type { SqlStore } from "biplane/store";
import type { AuditLog } from "../../../packages/biplane/src/store/audit-log.ts";

/** An entry of a call, told apart by its request. */
export function entry(requestId: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    time: Date.UTC(2026, 0, 1),
    principal: { kind: "token", id: "ada" },
    agent: { agentId: "agent", model: "model", requestId },
    tool: "customer_find",
    route: "mcp",
    session: "session",
    episode: undefined,
    input: { name: "Grace" },
    approvedBy: undefined,
    ran: false,
    outcome: "done",
    message: undefined,
    durationMs: 1.5,
    ...changes,
  };
}

/** The requests in the log, oldest first; where some were lost, how many. */
export async function requestsIn(store: { readonly audit: AuditLog }): Promise<(string | number)[]> {
  const lines = await queryAudit(store, { order: "oldest", limit: Infinity });
  return lines.map((line) => (line.kind === "call" ? line.requestId : line.count));
}

/** A store in a real file, in a folder of its own. */
export class StoreFile implements AsyncDisposable {
  readonly path: string;
  readonly store: SqlStore;

  private constructor(path: string, store: SqlStore) {
    this.path = path;
    this.store = store;
  }

  static async open(): Promise<StoreFile> {
    const path = join(mkdtempSync(join(tmpdir(), "biplane-audit-")), "store.db");
    return new StoreFile(path, await openStore(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    rmSync(dirname(this.path), { recursive: true });
  }
}

/** The log of a store that can be broken and mended, and that tells how it was used. */
export class FragileStore {
  isBroken = false;
  readonly appended: number[] = [];
  readonly audit: AuditLog;

  constructor({ audit }: SqlStore) {
    this.audit = {
      ...audit,
      append: async (lines) => {
        if (this.isBroken) throw new Error("the disk is full");
        const before = (await audit.last())?.sequence ?? 0;
        await audit.append(lines);
        this.appended.push(((await audit.last())?.sequence ?? 0) - before);
      },
    };
  }
}

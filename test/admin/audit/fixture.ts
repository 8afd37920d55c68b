import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "biplane/sqlite";
import type { AuditEntry } from "../../../src/call/audit.ts";
import { queryAudit } from "../../../src/admin/audit/query.ts";
import type { Logs, Store } from "../../../src/store/store.ts";

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
    outcome: "done",
    message: undefined,
    durationMs: 1.5,
    ...changes,
  };
}

/** The requests in the log, oldest first; where some were lost, how many. */
export async function requestsIn(store: Logs): Promise<(string | number)[]> {
  const lines = await queryAudit(store, { order: "oldest", limit: Infinity });
  return lines.map((line) => (line.kind === "call" ? line.requestId : line.count));
}

/** A store in a real file, in a folder of its own. */
export class StoreFile implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "biplane-audit-"));
  readonly path = join(this.#folder, "store.db");
  #store: Store | undefined;

  get store(): Store {
    return (this.#store ??= sqliteStore(this.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.close();
    rmSync(this.#folder, { recursive: true });
  }
}

/** A store that can be broken and mended, and that tells how it was used. */
export class FragileStore implements Logs {
  isBroken = false;
  readonly appended: number[] = [];
  readonly #store: Logs;

  constructor(store: Logs) {
    this.#store = store;
  }

  async append(...[log, lines]: Parameters<Logs["append"]>): Promise<void> {
    if (this.isBroken) throw new Error("the disk is full");
    const before = (await this.last(log))?.sequence ?? 0;
    await this.#store.append(log, lines);
    this.appended.push(((await this.last(log))?.sequence ?? 0) - before);
  }

  read(...[log, options]: Parameters<Logs["read"]>): ReturnType<Logs["read"]> {
    return this.#store.read(log, options);
  }

  last(log: string): ReturnType<Logs["last"]> {
    return this.#store.last(log);
  }
}

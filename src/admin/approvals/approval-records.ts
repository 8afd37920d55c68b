import { callerOf } from "../../call/caller-of.ts";
import { BiplaneError } from "../../errors.ts";
import type { Store, StoredRecord } from "../../store/store.ts";
import type { Approval, ApprovalFilter, Grant, Refusal } from "./approval.ts";
import { WaitingIndex } from "./waiting-index.ts";

/** Approvals as the store has them. No answer is remembered here, so every process sees every answer at once. */
export class ApprovalRecords {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #index: WaitingIndex;
  /** Callers who had too many questions a moment ago. */
  readonly #fullUntil = new Map<string, number>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#index = new WaitingIndex(store, now);
  }

  /** The question as it stands: the one that waits or was answered, or the new one that `make` gives. */
  async ask(id: string, make: () => Approval, maxWaiting: number): Promise<Approval> {
    const there = await this.get(id);
    if (there && isOpen(there)) return there;
    const question = make();
    await this.#makeRoom(question, maxWaiting);
    await this.#index.add(question);
    const stored = await this.#store.change("approvals", id, (record) => {
      const current = record && this.#current(record);
      return current && isOpen(current) ? record : toRecord(make());
    });
    const asked = this.#current(stored as StoredRecord);
    if (asked.status !== "waiting") await this.#index.remove(id);
    return asked;
  }

  /** Uses an approval up; undefined where it is no longer there to be used. */
  async use(id: string): Promise<Approval | undefined> {
    let isOurs = false;
    const stored = await this.#store.change("approvals", id, (record) => {
      isOurs = record !== undefined && this.#current(record).status === "approved";
      return isOurs ? { ...record, status: "used" } : undefined;
    });
    return isOurs && stored ? this.#current(stored) : undefined;
  }

  /** Writes the answer to a question that still waits. */
  async settle(id: string, answer: Partial<Approval>): Promise<Approval> {
    const stored = await this.#store.change("approvals", id, (record) => ({
      ...this.#waiting(id, record),
      ...answer,
    }));
    this.#fullUntil.clear();
    await this.#index.remove(id);
    return this.#current(stored as StoredRecord);
  }

  /** How many wait, here and in other processes, without reading what they are about. */
  waiting(): Promise<number> {
    return this.#index.count(() => this.#all());
  }

  async mustWait(id: string): Promise<Approval> {
    return this.#waiting(id, await this.#store.get("approvals", id));
  }

  async get(id: string): Promise<Approval | undefined> {
    const record = await this.#store.get("approvals", id);
    return record && this.#current(record);
  }

  /** A page goes on after an approval also where that one has been answered since and is no longer in the list. */
  async list(filter: ApprovalFilter = {}): Promise<Approval[]> {
    const { after, limit = 100 } = filter;
    const all = (await this.#all()).sort(byAge);
    const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
    if (after !== undefined && at < 0) return [];
    return all
      .slice(at + 1)
      .filter((approval) => fits(approval, filter))
      .slice(0, limit);
  }

  /** The call of the same tool that a person said yes to last, other than this one. */
  async before({ id, server, tool }: Approval): Promise<Approval | undefined> {
    const approved = (await this.#all()).filter(
      (each) => each.id !== id && each.server === server && each.tool === tool && wasApproved(each),
    );
    return approved.sort((a, b) => ((a.answeredAt ?? "") < (b.answeredAt ?? "") ? 1 : -1))[0];
  }

  async grants(): Promise<Grant[]> {
    const found: Grant[] = [];
    for await (const record of this.#everyIn("grants")) found.push(record as unknown as Grant);
    return found;
  }

  async putGrant(grant: Grant): Promise<void> {
    await this.#store.put("grants", grant.id, toRecord(grant));
  }

  /** With the yes that came with it, if nobody has used that yet. */
  async revoke(grantId: string): Promise<boolean> {
    const isRevoked = await this.#store.delete("grants", grantId);
    for (const { id, grant } of await this.#all()) if (grant === grantId) await this.use(id);
    return isRevoked;
  }

  async refusal(hash: string): Promise<Refusal | undefined> {
    return (await this.#store.get("refusals", hash)) as unknown as Refusal | undefined;
  }

  async refusals(): Promise<Refusal[]> {
    const found: Refusal[] = [];
    for await (const record of this.#everyIn("refusals")) found.push(record as unknown as Refusal);
    return found;
  }

  /** The no is there before the yes is gone, and goes only when the yes is there: between the two it is no. */
  async putRefusal(refusal: Refusal): Promise<void> {
    await this.#store.put("refusals", refusal.hash, toRecord(refusal));
    for (const { id, hash } of await this.grants()) if (hash === refusal.hash) await this.revoke(id);
  }

  async replaceRefusal(grant: Grant & { hash: string }): Promise<void> {
    await this.putGrant(grant);
    await this.#store.delete("refusals", grant.hash);
  }

  /** Every question about this that still waits. */
  async waitingFor(hash: string): Promise<Approval[]> {
    return (await this.#all()).filter((approval) => approval.status === "waiting" && approval.hash === hash);
  }

  /** A caller can fill neither the queue nor, hour by hour, the store; and what is long over is forgotten. */
  async #makeRoom({ principal }: Approval, maxWaiting: number): Promise<void> {
    const caller = callerOf(principal);
    if (this.#now() < (this.#fullUntil.get(caller) ?? 0)) throw tooMany(maxWaiting);
    this.#fullUntil.delete(caller);
    let waiting = 0;
    let unanswered = 0;
    for (const approval of await this.#all()) {
      const isTheirs = callerOf(approval.principal) === caller;
      if (approval.status === "waiting" && isTheirs) waiting++;
      const isOld = Date.parse(approval.expiresAt) + keepMs < this.#now();
      const isOneMore = isTheirs && approval.status === "expired" && ++unanswered > maxWaiting;
      if ((isOld && !isOpen(approval)) || isOneMore) await this.#store.delete("approvals", approval.id);
    }
    if (waiting < maxWaiting) return;
    // Counting takes a look at everything: one who goes on asking must not make us do it each time.
    if (this.#fullUntil.size >= 1000) this.#fullUntil.clear();
    this.#fullUntil.set(caller, this.#now() + recountMs);
    throw tooMany(waiting);
  }

  async #all(): Promise<Approval[]> {
    const found: Approval[] = [];
    for await (const record of this.#everyIn("approvals")) found.push(this.#current(record));
    return found;
  }

  async *#everyIn(collection: string): AsyncGenerator<StoredRecord> {
    for (let after: string | undefined; ;) {
      const page = await this.#store.list(collection, { ...(after !== undefined && { after }), limit: 1000 });
      for (const [key, record] of page) {
        yield record;
        after = key;
      }
      if (page.length < 1000) return;
    }
  }

  #waiting(id: string, record: StoredRecord | undefined): Approval {
    if (!record) throw new BiplaneError("INVALID_INPUT", `There is no approval ${id}`);
    const current = this.#current(record);
    if (current.status !== "waiting")
      throw new BiplaneError("INVALID_INPUT", `Approval ${id} no longer waits: it is ${current.status}`);
    return current;
  }

  /** Time passes for records too. */
  #current(record: StoredRecord): Approval {
    const approval = record as unknown as Approval;
    return isOpen(approval) && Date.parse(approval.expiresAt) <= this.#now()
      ? { ...approval, status: "expired" }
      : approval;
  }
}

const keepMs = 7 * 24 * 3_600_000;
const recountMs = 1000;

function tooMany(waiting: number): BiplaneError {
  return new BiplaneError("CAPACITY", `${waiting} calls of this caller wait for approval already`);
}

/** Whether the caller who asks again is to find it. */
function isOpen({ status }: Approval): boolean {
  return status === "waiting" || status === "approved" || status === "rejected";
}

/** The newest first. */
function byAge(a: Approval, b: Approval): number {
  if (a.askedAt === b.askedAt) return a.id < b.id ? -1 : 1;
  return a.askedAt < b.askedAt ? 1 : -1;
}

function fits(approval: Approval, { status, server, tool, principal, batch }: ApprovalFilter): boolean {
  return (
    (status === undefined || approval.status === status) &&
    (server === undefined || approval.server === server) &&
    (tool === undefined || approval.tool === tool) &&
    (principal === undefined || approval.principal.id === principal) &&
    (batch === undefined || approval.batch === batch)
  );
}

/** Also where nobody came for the yes in time. */
function wasApproved({ status, answeredAt, reason }: Approval): boolean {
  return answeredAt !== undefined && reason === undefined && status !== "waiting" && status !== "rejected";
}

function toRecord(value: object): StoredRecord {
  return value as StoredRecord;
}

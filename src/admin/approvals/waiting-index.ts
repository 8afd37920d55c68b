import type { Store } from "../../store/store.ts";
import type { Approval } from "./approval.ts";

/**
 * Which approvals wait, beside the approvals themselves and without their inputs: small enough to be counted every
 * second, whichever process asked or answered.
 */
export class WaitingIndex {
  readonly #store: Store;
  readonly #now: () => number;
  #isChecked = false;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Before the question is there: a process that dies in between leaves one too many, until it expires, and none lost. */
  async add({ id, expiresAt }: Pick<Approval, "id" | "expiresAt">): Promise<void> {
    await this.#store.put(collection, id, { expiresAt });
  }

  async remove(id: string): Promise<void> {
    await this.#store.delete(collection, id);
  }

  /** The first count of a process is by the approvals themselves: `all` may know of some that were never noted. */
  async count(all: () => Promise<readonly Approval[]>): Promise<number> {
    if (!this.#isChecked) {
      await this.#check(await all());
      this.#isChecked = true;
    }
    return (await this.#waiting()).size;
  }

  async #check(approvals: readonly Approval[]): Promise<void> {
    const noted = await this.#waiting();
    const known = new Map(approvals.map((approval) => [approval.id, approval]));
    for (const approval of approvals)
      if (approval.status === "waiting" && !noted.has(approval.id)) await this.add(approval);
    for (const id of noted) {
      const approval = known.get(id);
      if (approval && approval.status !== "waiting") await this.remove(id);
    }
  }

  /** Those that have expired are forgotten on the way. */
  async #waiting(): Promise<Set<string>> {
    const waiting = new Set<string>();
    for (let after: string | undefined; ;) {
      const page = await this.#store.list(collection, { ...(after !== undefined && { after }), limit: 1000 });
      for (const [id, { expiresAt }] of page) {
        if (Date.parse(String(expiresAt)) > this.#now()) waiting.add(id);
        else await this.remove(id);
        after = id;
      }
      if (page.length < 1000) return waiting;
    }
  }
}

const collection = "approvals-waiting";

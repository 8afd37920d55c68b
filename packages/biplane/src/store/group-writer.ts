import { BiplaneError } from "@biplane/core";

/**
 * Writes in groups: while one group is on its way, the next one gathers. So a single write does not wait, and many
 * writes share a transaction.
 */
export class GroupWriter<Write, Result> {
  readonly #writeAll: (writes: readonly Write[]) => Promise<readonly Result[]>;
  #waiting: Pending<Write, Result>[] = [];
  #isWriting = false;

  /** `writeAll` returns one result for each write. It makes all of them or none. */
  constructor(writeAll: (writes: readonly Write[]) => Promise<readonly Result[]>) {
    this.#writeAll = writeAll;
  }

  write(write: Write): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What else is written in this turn of the event loop joins the first group.
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, maxGroup));
    this.#isWriting = false;
  }

  async #writeGroup(group: readonly Pending<Write, Result>[]): Promise<void> {
    try {
      const results = await this.#writeAll(group.map(({ write }) => write));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      // One that is refused must not fail the others. If the answer was lost, they may all have been written.
      if (group.length > 1 && !isAnswerLost(error)) for (const each of group) await this.#writeGroup([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}

/** The drivers throw this if a connection breaks, and the errors of the database as they are. */
function isAnswerLost(error: unknown): boolean {
  return error instanceof BiplaneError;
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const maxGroup = 256;

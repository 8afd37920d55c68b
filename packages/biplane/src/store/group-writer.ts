import { BiplaneError } from "@biplane/core";

/**
 * Writes in groups: while one group is on its way, the next one gathers. So a single write does not wait, and many
 * writes share a transaction.
 */
export class GroupWriter<Write, Result> {
  readonly #writeAll: (writes: readonly Write[]) => Promise<readonly Result[]>;
  readonly #sizeOf: (write: Write) => number;
  #waiting: Pending<Write, Result>[] = [];
  #isWriting = false;

  /** `writeAll` returns one result for each write. It makes all of them or none. */
  constructor(
    writeAll: (writes: readonly Write[]) => Promise<readonly Result[]>,
    { sizeOf = () => 0 }: GroupWriterOptions<Write> = {},
  ) {
    this.#writeAll = writeAll;
    this.#sizeOf = sizeOf;
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
    while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, this.#nextCount()));
    this.#isWriting = false;
  }

  /** How many of the waiting writes go together. */
  #nextCount(): number {
    let size = 0;
    const most = Math.min(maxGroup, this.#waiting.length);
    for (let count = 0; count < most; count++) {
      size += this.#sizeOf((this.#waiting[count] as Pending<Write, Result>).write);
      if (count > 0 && size > maxGroupSize) return count;
    }
    return most;
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

export interface GroupWriterOptions<Write> {
  /** The length of a write, in characters. A group of long ones is split. */
  readonly sizeOf?: (write: Write) => number;
}

interface Pending<Write, Result> {
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const maxGroup = 256;
const maxGroupSize = 4 * 2 ** 20;

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareFor } from "./contenders.ts";
import { buildGoPeers, buildRustPeers } from "./native-peers.ts";
import { cache, installPeers } from "./peers.ts";
import { Subject } from "./subject.ts";
import type { Contender } from "./subject.ts";

/** A contender that could not be measured, and why. */
export interface Absent {
  readonly contender: Contender;
  readonly why: string;
}

/** Servers that are measured together. They are stopped at the end of their scope. */
export class Subjects implements Disposable {
  readonly all: Subject[] = [];
  readonly absent: Absent[] = [];

  async start(contender: Contender): Promise<Subject> {
    return this.#add(await Subject.start(contender));
  }

  /** Starts a bare server that sends the same response as `subject`. */
  async startBareFor(subject: Subject): Promise<Subject> {
    const { name, workload, era } = subject.contender;
    const answer = join(cache, "answers", `${name} ${workload} ${era}.json`);
    mkdirSync(join(cache, "answers"), { recursive: true });
    writeFileSync(answer, await subject.sample());
    return this.start(bareFor(subject.contender, answer));
  }

  /** Starts peers. Those that cannot be installed or built here, do not start or respond wrongly are absent. */
  async startPeers(contenders: readonly Contender[]): Promise<void> {
    for (const contender of contenders) {
      const subject = await startPeer(contender);
      if (typeof subject === "string") this.absent.push({ contender, why: subject });
      else this.#add(subject);
    }
  }

  /** Measures all in interleaved rounds, because the load of the machine varies. */
  async measure({ rounds, requests }: { rounds: number; requests: number }): Promise<void> {
    process.stderr.write(`Warming up ${this.all.length} servers …\n`);
    for (const subject of this.all) await subject.warmUp(3000);
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`Round ${round} of ${rounds} …\n`);
      for (const subject of this.inOrder(round)) await subject.measure(requests);
    }
  }

  /** The order changes with each round, so that no server always follows the same one. */
  inOrder(round: number): readonly Subject[] {
    return round % 2 === 0 ? this.all.toReversed() : this.all;
  }

  [Symbol.dispose](): void {
    for (const subject of this.all) subject.stop();
  }

  #add(subject: Subject): Subject {
    this.all.push(subject);
    return subject;
  }
}

/** Returns why if that is not possible. */
async function startPeer(contender: Contender): Promise<Subject | string> {
  const why = contender.needs && prepare(contender.needs);
  if (why !== undefined) return why;
  let subject: Subject | undefined;
  try {
    subject = await Subject.start(contender);
    await subject.sample();
    return subject;
  } catch (error) {
    subject?.stop();
    return String(error);
  }
}

type Kind = NonNullable<Contender["needs"]>;

const preparations = { npm: installPeers, go: buildGoPeers, rust: buildRustPeers };
const outcomes = new Map<Kind, string | undefined>();

/** Installs or builds the peers of a kind, once. */
function prepare(kind: Kind): string | undefined {
  if (!outcomes.has(kind)) outcomes.set(kind, preparations[kind]());
  return outcomes.get(kind);
}

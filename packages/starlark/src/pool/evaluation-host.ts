import type { HostFunction, HostFunctions } from "./evaluation.ts";
import type { Reply, WorkerQuestion } from "./messages.ts";

/** What answers the questions of a worker's job. */
export interface JobHost {
  answer(question: WorkerQuestion): Promise<Reply>;
  /** The function that a question calls, for the message if it throws. */
  nameOf(question: WorkerQuestion): string | undefined;
}

/** The host's side of an evaluation: its functions by number. Arguments arrive as bounded JSON text. */
export class EvaluationHost implements JobHost {
  readonly names: readonly string[];
  readonly #functions: readonly HostFunction[];

  constructor(functions: HostFunctions) {
    const all = Object.entries(functions).flatMap(([name, value]): [string, HostFunction][] => {
      if (typeof value === "function") return [[name, value]];
      return Object.entries(value).map(([member, call]) => [`${name}.${member}`, call]);
    });
    this.names = all.map(([name]) => name);
    this.#functions = all.map(([, call]) => call);
  }

  nameOf(question: WorkerQuestion): string {
    return (question.kind === "ask" ? this.names[question.id] : undefined) ?? "host";
  }

  async answer(question: WorkerQuestion): Promise<Reply> {
    if (question.kind !== "ask") return { kind: "data", data: undefined };
    const args = JSON.parse(question.json) as unknown[];
    return { kind: "data", data: await this.#functions[question.id]?.(...args) };
  }
}

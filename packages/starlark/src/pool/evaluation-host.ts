import { StarlarkError } from "../errors.ts";
import type { HostFunction, HostFunctions } from "./evaluation.ts";
import type { Reply, WireError, WorkerQuestion } from "./messages.ts";

/** What answers the questions of a worker's job. */
export interface JobHost {
  answer(question: WorkerQuestion): Promise<Reply>;
  toError(error: WireError): StarlarkError;
}

/** The host's side of an evaluation: its functions by number. Arguments arrive as bounded JSON text. */
export class EvaluationHost implements JobHost {
  readonly names: readonly string[];
  readonly #functions: readonly HostFunction[];
  readonly #errors: unknown[] = [];

  constructor(functions: HostFunctions) {
    const all = Object.entries(functions).flatMap(([name, value]): [string, HostFunction][] => {
      if (typeof value === "function") return [[name, value]];
      return Object.entries(value).map(([member, call]) => [`${name}.${member}`, call]);
    });
    this.names = all.map(([name]) => name);
    this.#functions = all.map(([, call]) => call);
  }

  async answer(question: WorkerQuestion): Promise<Reply> {
    const id = question.kind === "ask" ? question.id : -1;
    try {
      const args = JSON.parse(question.kind === "ask" ? question.json : "[]") as unknown[];
      return { kind: "data", data: await this.#functions[id]?.(...args) };
    } catch (error) {
      const errorIndex = this.#errors.push(error) - 1;
      if (error instanceof StarlarkError) return { kind: "error", reason: error.reason, code: error.code, errorIndex };
      const reason = `${this.names[id] ?? "host"}: ${error instanceof Error ? error.message : String(error)}`;
      return { kind: "error", reason, code: "host", errorIndex };
    }
  }

  toError({ code, reason, details, errorIndex }: WireError): StarlarkError {
    const cause = errorIndex === undefined ? undefined : this.#errors[errorIndex];
    return new StarlarkError(code, reason, { ...details, cause });
  }
}

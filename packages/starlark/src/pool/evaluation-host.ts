import type { HostFunction, HostFunctions } from "./evaluation.ts";
import type { Reply, WorkerQuestion } from "./messages.ts";

/** What answers the questions of a worker's job. */
export interface JobHost {
  answer(question: WorkerQuestion): Promise<Reply>;
  /** The function that a question calls, for the message if it throws. */
  nameOf(question: WorkerQuestion): string | undefined;
}

/** The host's side of an evaluation: its functions by number. Arguments arrive as bounded JSON text. */
export function evaluationHost(functions: HostFunctions): JobHost & { readonly names: readonly string[] } {
  const all = Object.entries(functions).flatMap(([name, value]): [string, HostFunction][] => {
    if (typeof value === "function") return [[name, value]];
    return Object.entries(value).map(([member, call]) => [`${name}.${member}`, call]);
  });
  return {
    names: all.map(([name]) => name),
    nameOf: (question) => (question.kind === "ask" ? all[question.id]?.[0] : undefined) ?? "host",
    answer: async (question) => {
      if (question.kind !== "ask") return { kind: "data", data: undefined };
      const args = JSON.parse(question.json) as unknown[];
      return { kind: "data", data: await all[question.id]?.[1](...args) };
    },
  };
}

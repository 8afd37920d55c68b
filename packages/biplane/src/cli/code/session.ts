import { randomUUID } from "node:crypto";
import type { CodeEngine } from "../../code/engine.ts";
import { codeTool } from "../../code/code-tool.ts";
import type { CodeAnswer } from "../../code/code-tool.ts";
import { Environment } from "@biplane/core/internal";
import type { Episode, Served, Tool } from "@biplane/core";

/** Runs code against one target. Definitions persist from one run to the next. */
export type CodeSession = Awaited<ReturnType<typeof openCodeSession>>;

/** The episode after a run. The user of the terminal acts as the trainer, so rewards are shown. */
export type EpisodeStatus = Pick<Episode, "stepCount" | "totalReward" | "terminated" | "truncated"> & {
  readonly reward: number | null;
};

export interface CodeSessionOptions {
  readonly target: Served;
  readonly engine: CodeEngine;
  readonly seed: number | undefined;
}

export async function openCodeSession({ target, engine, seed }: CodeSessionOptions) {
  const environment = target instanceof Environment ? target : undefined;
  const server = environment?.server ?? (target as Exclude<Served, Environment>);
  const runCode = codeTool(server, { engines: [engine], name: "run_code_in_terminal" });
  let episode = await environment?.start({ seed });
  let session = randomUUID();
  return {
    language: engine.language,
    name: target.name,
    get tools(): readonly Tool[] {
      return [...server.tools].filter(({ composite }) => !composite);
    },
    /** The episode's first observation; undefined without an environment. */
    get firstObservation(): unknown {
      return episode?.firstObservation;
    },
    signatureOf: (tool: Tool) => engine.signature(tool),
    run: async (code: string, signal: AbortSignal) => {
      const scope = episode?.asScope;
      const before = episode?.stepCount;
      const given = await server.call(runCode.tool.name, { code }, { session, signal, ...(scope && { scope }) });
      return { answer: given as CodeAnswer, status: episode && statusOf(episode, before) };
    },
    /** Clears all definitions and, in an environment, starts a new episode. */
    reset: async () => {
      session = randomUUID();
      if (!environment || !episode) return;
      await environment.episodes.end(episode);
      episode = await environment.start();
    },
    [Symbol.asyncDispose]: () => runCode.close(),
  };
}

function statusOf(episode: Episode, stepsBefore: number | undefined): EpisodeStatus {
  const { stepCount, totalReward, terminated, truncated, last } = episode;
  return { stepCount, totalReward, terminated, truncated, reward: stepCount === stepsBefore ? null : last.reward };
}

import { randomUUID } from "node:crypto";
import type { CodeEngine, Language } from "../../code/engine.ts";
import { codeTool } from "../../code/run-code.ts";
import type { CodeAnswer } from "../../code/run-code.ts";
import { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CodeTarget } from "./open-code-target.ts";

/** Code that is run against one target, an action at a time; what it defines stays. */
export interface CodeSession extends AsyncDisposable {
  readonly language: Language;
  readonly name: string;
  readonly tools: readonly Tool[];
  /** What there is to see at the beginning of the episode, in an environment. */
  readonly firstObservation: unknown;
  signatureOf(tool: Tool): string;
  run(code: string, signal: AbortSignal): Promise<{ answer: CodeAnswer; standing: Standing | undefined }>;
  /** Forgets what was defined; in an environment, begins another episode. */
  reset(): Promise<void>;
}

/** How an episode stands after an action. A person at the terminal is a trainer, and may know. */
export type Standing = Pick<Episode, "stepCount" | "totalReward" | "terminated" | "truncated"> & {
  readonly reward: number | null;
};

export interface SessionOptions {
  readonly target: CodeTarget;
  readonly engine: CodeEngine;
  readonly seed: number | undefined;
}

export async function openSession({ target, engine, seed }: SessionOptions): Promise<CodeSession> {
  const environment = target instanceof Environment ? target : undefined;
  const server = environment?.server ?? (target as Exclude<CodeTarget, Environment>);
  const door = codeTool(server, { engines: [engine], name: "run_code_in_terminal" });
  let episode = await environment?.start({ seed });
  let session = randomUUID();
  return {
    language: engine.language,
    name: target.name,
    get tools() {
      return [...server.tools].filter(({ composite }) => !composite);
    },
    get firstObservation() {
      return episode?.firstObservation;
    },
    signatureOf: (tool) => engine.signature(tool),
    run: async (code, signal) => {
      const scope = episode?.asScope;
      const before = episode?.stepCount;
      const given = await server.call(door.tool.name, { code }, { session, signal, ...(scope && { scope }) });
      return { answer: given as CodeAnswer, standing: episode && standingOf(episode, before) };
    },
    reset: async () => {
      session = randomUUID();
      if (!environment || !episode) return;
      await environment.episodes.end(episode);
      episode = await environment.start();
    },
    [Symbol.asyncDispose]: () => door.close(),
  };
}

function standingOf(episode: Episode, stepsBefore: number | undefined): Standing {
  const { stepCount, totalReward, terminated, truncated, last } = episode;
  return { stepCount, totalReward, terminated, truncated, reward: stepCount === stepsBefore ? null : last.reward };
}

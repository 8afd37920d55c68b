import { BiplaneError } from "@biplane/core";
import type { EnvironmentClient, ResetOptions, ResetOutcome, ToolInfo } from "@biplane/core/client";
import type { Connector } from "@biplane/core/internal";
import type { SnapshotOfGroup } from "./group-starts.ts";
import type { ToolDefinition } from "./message.ts";
import { readPythonJson } from "./python/json.ts";

/** The start of an episode as a rollout records it. */
export interface EpisodeStart extends Omit<ResetOutcome, "tools" | "json"> {
  /** The observation with Python's number types, for the `python` style. */
  readonly exact: unknown;
  readonly tools: readonly ToolDefinition[];
}

export interface BeginOptions {
  readonly connector: Connector;
  readonly groups: SnapshotOfGroup | undefined;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly onClient: (client: EnvironmentClient) => void;
}

/** Starts an episode, with retries after transient errors. Each attempt uses a new client. */
export async function beginWithRetries(
  row: ResetOptions & { index: number },
  options: BeginOptions,
): Promise<EpisodeStart> {
  const { connector, groups, signal, sleep, random, onClient } = options;
  const { index, ...given } = row;
  const reset = { ...given, signal, ...(connector.kind !== "eval-protocol" && { config: withoutSeed(given.config) }) };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const client = connector.open();
    onClient(client);
    try {
      const snapshot = await groups?.(index, reset);
      return episodeStart(await client.reset({ ...reset, snapshot }));
    } catch (error) {
      await client.close();
      if (attempt >= maxAttempts || signal.aborted || !isTransient(error)) throw error;
      await sleep(2 ** attempt * 50 * (0.5 + random()), signal);
    }
  }
}

const maxAttempts = 4;

/** The config of a row repeats its seed, and Eval Protocol's client sends it so. Nothing else expects a seed there. */
function withoutSeed(config: ResetOptions["config"] = {}): ResetOptions["config"] {
  const { seed: _, ...settings } = config;
  return settings;
}

/** Invalid rows and missing permissions stay errors on a retry. */
function isTransient(error: unknown): boolean {
  return !(error instanceof BiplaneError && permanentCodes.includes(error.code));
}

const permanentCodes: readonly string[] = [
  "INVALID_INPUT",
  "INVALID_DEFINITION",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "NOT_SUPPORTED",
];

function episodeStart({ tools, json, ...outcome }: ResetOutcome): EpisodeStart {
  const exact = json === undefined ? outcome.observation : readPythonJson(json);
  return { ...outcome, exact, tools: tools.map(toolDefinition) };
}

function toolDefinition({ name, description = "", inputSchema }: ToolInfo): ToolDefinition {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

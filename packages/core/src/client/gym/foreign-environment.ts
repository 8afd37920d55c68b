import type { LiveCall } from "../../call/live-call.ts";
import type { Environment } from "../../environment/environment.ts";
import type { EnvironmentOptions, EpisodeCall, Termination } from "../../environment/options.ts";
import type { Reward, RewardStep } from "../../environment/reward.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure } from "../../server/foreign.ts";
import type { MountOptions } from "../../server/mount.ts";
import { isReply, reply } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import type { RemoteOptions } from "../mount/remote-server.ts";
import type { ToolResult } from "../results.ts";
import { EpisodeServers } from "./episode-servers.ts";
import { lastSeen } from "./transcript.ts";
import type { PlayedCall, Transcript } from "./transcript.ts";

/** What `reward` and `status` can inspect besides the transcript. */
export interface World {
  /** Calls a tool of the servers. The agent does not see the call. */
  readonly call: (tool: string, input?: JsonObject) => Promise<ToolResult>;
  /** The value of `${episodeFolder}`. */
  readonly folder: string;
}

/** Computes the reward of a call. */
export type RewardFunction = (step: RewardStep<Transcript> & World) => Reward | Promise<Reward>;

export interface ForeignEnvironmentOptions extends Pick<
  EnvironmentOptions<Transcript, undefined, World>,
  "name" | "title" | "description" | "maxEpisodes" | "idleMs" | "tasks"
> {
  readonly version?: string;
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** Called after every call, including calls that returned an error. */
  readonly reward?: RewardFunction;
  readonly status?: (
    state: Transcript,
    world: World & { readonly stepCount: number },
  ) => Termination | Promise<Termination>;
  /** The observation (default: the last result; at the start, the names of the tools). */
  readonly observe?: (state: Transcript) => unknown;
  /** Shares one connection between all episodes: for servers that are stateless or slow to start (default: false). */
  readonly shared?: boolean;
  readonly prefix?: MountOptions["prefix"];
  readonly connect?: RemoteOptions;
  /** Called for each server that cannot be connected at the start; it is then skipped. */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/**
 * Makes an environment from any MCP servers and a reward. Lists the tools once; each episode then gets its own
 * connections and processes.
 */
export async function foreignEnvironment(options: ForeignEnvironmentOptions): Promise<Environment> {
  const { name, version = "1.0.0", servers, prefix, onFailure, shared = false, reward, status } = options;
  const { environment } = await import("../../environment/environment.ts");
  const connecting = { ...options.connect, ...(prefix && { prefix }) };
  const first = await EpisodeServers.open(name, { servers, ...connecting, ...(onFailure && { onFailure }) });
  const tools = [...first.server.tools];
  if (tools.length === 0 || !shared) await first.close();
  if (tools.length === 0) throw new BiplaneError("INVALID_DEFINITION", `The servers of ${name} offer no tools.`);
  // Servers that were skipped at the start stay skipped.
  const reached = Object.fromEntries(Object.entries(servers).filter(([each]) => first.reached.has(each)));
  const worlds = new WeakMap<Transcript, World>();
  const { title, description, maxEpisodes = shared ? undefined : 64, idleMs, tasks } = options;
  const made = environment<Transcript, undefined, EpisodeServers>({
    name,
    version,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(maxEpisodes !== undefined && { maxEpisodes }),
    ...(idleMs !== undefined && { idleMs }),
    ...(tasks && { tasks }),
    open: ({ signal }) => (shared ? first : EpisodeServers.open(name, { servers: reached, ...connecting, signal })),
    close: (live) => (shared ? undefined : live.close()),
    start: () => ({ calls: [] }),
    observe: options.observe ?? ((state) => lastSeen(state) ?? { tools: tools.map((tool) => tool.name) }),
    tools: () => Object.fromEntries(tools.map((tool) => [tool.name, recorded(tool, worlds)])),
    ...(reward && { reward: (step) => reward({ ...step, ...worldOf(worlds, step.after) }) }),
    ...(status && { status: (state, { live, stepCount }) => status(state, { ...lookAt(live), stepCount }) }),
  });
  if (shared) made.server.whenClosed(() => first.close());
  return made;
}

/** Wraps a tool: runs it on the episode's own servers and records the result in the transcript. */
function recorded(tool: Tool, worlds: WeakMap<Transcript, World>): Tool {
  const run: Tool["run"] = async (input, caller) => {
    const call = caller as unknown as EpisodeCall<Transcript, unknown, EpisodeServers> & LiveCall;
    const own = call.live.server.find(tool.name);
    if (!own) throw new BiplaneError("TOOL_NOT_FOUND", `The server no longer has the tool ${tool.name}.`);
    const { answer, isError } = await attempt(async () => (await own.run(input, caller)) as Reply);
    const { content, structured } = answer;
    const entry: PlayedCall = {
      tool: tool.name,
      input,
      content,
      ...(structured !== undefined && { structured }),
      isError,
    };
    // Replace the state instead of changing it: reads do not get a copy.
    call.state = { calls: [...call.state.calls, entry] };
    worlds.set(call.state, lookAt(call.live));
    return answer;
  };
  return Object.freeze({ ...tool, run });
}

/** A result with `isError` counts as a step and is passed on unchanged. */
async function attempt(run: () => Promise<Reply>): Promise<{ answer: Reply; isError: boolean }> {
  try {
    const answer = await run();
    return { answer: isReply(answer) ? answer : reply([]), isError: false };
  } catch (error) {
    const failure = error instanceof BiplaneError ? error.details?.[foreignFailure] : undefined;
    if (!failure) throw error;
    const { content, structuredContent, _meta: meta, ...more } = failure as ToolResult;
    const structured = structuredContent === undefined ? {} : { structured: structuredContent };
    return { answer: reply(content, { ...structured, ...(meta && { meta }), more }), isError: true };
  }
}

function worldOf(worlds: WeakMap<Transcript, World>, state: Transcript): World {
  const world = worlds.get(state);
  if (!world) throw new BiplaneError("INTERNAL", "This step has no episode.");
  return world;
}

function lookAt(live: EpisodeServers): World {
  return { call: (tool, input) => live.call(tool, input), folder: live.folder };
}

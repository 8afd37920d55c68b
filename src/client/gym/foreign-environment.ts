import type { LiveCall } from "../../call/live-call.ts";
import type { Environment } from "../../environment/environment.ts";
import type { EnvironmentOptions, EpisodeCall, Status } from "../../environment/options.ts";
import type { Reward, Step } from "../../environment/reward.ts";
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

/** What a judge can look at beside the transcript: the servers themselves, and the episode's folder. */
export interface World {
  /** Calls a tool that the agent does not see being called. */
  readonly call: (tool: string, input?: JsonObject) => Promise<ToolResult>;
  /** What `${episodeFolder}` was in the servers' arguments, variables and working folders. */
  readonly folder: string;
}

/** What a call was worth. */
export type Judge = (step: Step<Transcript> & World) => Reward | Promise<Reward>;

export interface ForeignEnvironmentOptions extends Pick<
  EnvironmentOptions<Transcript, undefined, World>,
  "name" | "title" | "description" | "maxEpisodes" | "idleMs" | "tasks"
> {
  readonly version?: string;
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** After every call, also one whose tool said that it failed. */
  readonly reward?: Judge;
  readonly status?: (state: Transcript, world: World & { readonly stepCount: number }) => Status | Promise<Status>;
  /** What the agent sees at the beginning and where an observation is asked for; left out, the last result. */
  readonly observe?: (state: Transcript) => unknown;
  /** One connection for all episodes: for servers that keep nothing of a conversation, or are slow to start. */
  readonly shared?: boolean;
  readonly prefix?: MountOptions["prefix"];
  readonly connect?: RemoteOptions;
  /** Told of a server that cannot be reached at the start; it is left out. */
  readonly onFailure?: (name: string, error: BiplaneError) => void;
}

/**
 * Any MCP servers and a reward, as an environment with all its doors. Tools are listed once, here; each episode then has
 * connections, and processes, of its own.
 */
export async function foreignEnvironment(options: ForeignEnvironmentOptions): Promise<Environment> {
  const { name, version = "1.0.0", shared = false, reward, status } = options;
  const { environment } = await import("../../environment/environment.ts");
  const first = await reach(options);
  const tools = [...first.house.tools];
  if (!shared) await first.close();
  const open = (signal?: AbortSignal) => openFor(options, first, signal);
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
    open: ({ signal }) => (shared ? first : open(signal)),
    close: (live) => (shared ? undefined : live.close()),
    start: () => ({ calls: [] }),
    observe: options.observe ?? ((state) => lastSeen(state) ?? { tools: tools.map((tool) => tool.name) }),
    tools: () => Object.fromEntries(tools.map((tool) => [tool.name, played(tool, worlds)])),
    ...(reward && { reward: (step) => reward({ ...step, ...worldOf(worlds, step.after) }) }),
    ...(status && { status: (state, { live, stepCount }) => status(state, { ...lookAt(live), stepCount }) }),
  });
  if (shared) made.server.whenClosed(() => first.close());
  return made;
}

async function reach({
  name,
  servers,
  prefix,
  connect,
  onFailure,
}: ForeignEnvironmentOptions): Promise<EpisodeServers> {
  const first = await EpisodeServers.open(name, {
    servers,
    ...connect,
    ...(prefix && { prefix }),
    ...(onFailure && { onFailure }),
  });
  if (first.house.catalog.tools.size > 0) return first;
  await first.close();
  throw new BiplaneError("INVALID_DEFINITION", `the servers of ${name} offer no tools, so there is nothing to play`);
}

/** A server that was left out at the start stays out. */
async function openFor(
  { name, servers, prefix, connect }: ForeignEnvironmentOptions,
  first: EpisodeServers,
  signal: AbortSignal | undefined,
): Promise<EpisodeServers> {
  const wanted = Object.entries(servers).filter(([each]) => first.reached.has(each));
  return EpisodeServers.open(name, {
    servers: Object.fromEntries(wanted),
    ...connect,
    ...(prefix && { prefix }),
    ...(signal && { signal }),
  });
}

/** The tool as a step: it goes to the episode's own server, and the transcript says what came of it. */
function played(tool: Tool, worlds: WeakMap<Transcript, World>): Tool {
  const run: Tool["run"] = async (input, caller) => {
    const call = caller as unknown as EpisodeCall<Transcript, unknown, EpisodeServers> & LiveCall;
    const own = call.live.house.find(tool.name);
    if (!own) throw new BiplaneError("TOOL_NOT_FOUND", `the server no longer has ${tool.name}`);
    const { answer, isError } = await attempt(async () => (await own.run(input, caller)) as Reply);
    const { content, structured } = answer;
    const entry: PlayedCall = {
      tool: tool.name,
      input,
      content,
      ...(structured !== undefined && { structured }),
      isError,
    };
    // A new state, rather than a changed one: reads are not given a copy.
    call.state = { calls: [...call.state.calls, entry] };
    worlds.set(call.state, lookAt(call.live));
    return answer;
  };
  return Object.freeze({ ...tool, run });
}

/** A tool that says it failed has been called all the same: that counts, and is told as it was said. */
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
  if (!world) throw new BiplaneError("INTERNAL", "a step came from nowhere");
  return world;
}

function lookAt(live: EpisodeServers): World {
  return { call: (tool, input) => live.call(tool, input), folder: live.folder };
}

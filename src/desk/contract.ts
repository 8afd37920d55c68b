import type { AuditOutcome } from "../call/audit.ts";
import type { Mode } from "../call/policy.ts";
import type { TrailStep } from "../call/trail.ts";
import type { Run } from "../rollout/run.ts";
import type { Summary } from "../rollout/score/summary.ts";
import type { Trace, TraceStep } from "../rollout/trace.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { ToolAnnotations } from "../tool/tool.ts";

/*
 * What the people's API says, in types: the page is written against these, and the routes give them. A list is an object
 * with the things and `next`, which goes into `?after=` for the next page and is null on the last one. Times are ISO.
 */

/** `GET /api/overview`: what is served here and how it does. */
export interface Overview {
  readonly name: string;
  readonly version: string;
  readonly mode: Mode;
  readonly startedAt: string;
  /** Where others reach it. */
  readonly url: string;
  readonly servers: readonly ShownServer[];
  readonly figures: Figures;
  /** Where apps run: an origin for each, with `{app}` in place of its name; null where they cannot. */
  readonly sandbox: string | null;
  /** How a desktop host starts it, where that is known. */
  readonly command: { readonly command: string; readonly args: readonly string[] } | null;
}

export interface ShownServer {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly kind: "server" | "environment";
  /** Empty for the first, `/env/<name>` for the others. */
  readonly base: string;
  readonly doors: readonly ShownDoor[];
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly episodes?: { readonly open: number; readonly most: number };
  /** Of an environment: what its episodes can be begun with, as JSON Schema. */
  readonly config?: JsonObject;
}

export interface ShownDoor {
  readonly plane: "data" | "trainer" | "people" | "watch";
  readonly path: string;
  readonly what: string;
}

/** What the overview counts, and the event `figures` every second. */
export interface Figures {
  readonly at: string;
  readonly callsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly calls: number;
  readonly errors: number;
  /** Calls under way. */
  readonly running: number;
  readonly approvalsWaiting: number;
  readonly episodes: number;
  readonly sessions: number;
  /** The last minute, a second each, the newest last. */
  readonly minute: readonly { readonly calls: number; readonly errors: number }[];
}

/** `GET /api/tools?server&query&after&limit`: `{ tools, next }`. */
export interface ShownTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly timeoutMs: number;
  readonly idempotent: boolean;
  readonly interactive: boolean;
  readonly task?: "optional" | "required";
  /** In an environment: a call needs an episode. */
  readonly needsEpisode: boolean;
  readonly app?: { readonly uri: string; readonly visibility: readonly ("model" | "app")[] };
}

/** The ways by which the page can call a tool. All but `app` are real wires; the answers can be laid side by side. */
export type CallWay = "mcp-2026-07-28" | "mcp-2025-11-25" | "execute" | "step" | "code" | "app";

/**
 * `POST /api/calls`: calls a tool once by each of the ways. In an episode several ways each get a fork of it, so that all
 * start from the same place; a single way is a step of the episode itself. Answered by `{ answers }`.
 */
export interface CallWish {
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly ways: readonly CallWay[];
  readonly episode?: string;
  /** The URI of the page that calls, where one does: one of a server elsewhere may call that server's tools only. */
  readonly app?: string;
}

export interface WayAnswer {
  readonly way: CallWay;
  /** What went over the wire, as far as it can be shown. */
  readonly sent: string;
  readonly received: string;
  readonly outcome: AuditOutcome;
  /** The tool's result in MCP's shape, for apps and for reading. */
  readonly result: ShownResult | null;
  readonly durationMs: number;
  /** The call in `/api/calls`. */
  readonly call: string | null;
}

/** A result in MCP's words. */
export interface ShownResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** `GET /api/calls?server&tool&agent&principal&route&outcome&episode&after&limit`: `{ calls, next }`, the newest first. */
export interface ShownCall {
  readonly id: string;
  readonly at: string;
  readonly server: string;
  readonly tool: string;
  readonly route: Route;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly session: string | null;
  readonly episode: string | null;
  readonly outcome: AuditOutcome;
  readonly message: string | null;
  readonly durationMs: number;
}

/** `GET /api/calls/:id`. Long values are cut, and say so. */
export interface OpenedCall extends ShownCall {
  readonly input: unknown;
  readonly result: ShownResult | null;
  readonly trail: readonly TrailStep[];
  /** In an episode: what the step was worth. */
  readonly step: { readonly reward: number | null; readonly stepCount: number; readonly terminated: boolean } | null;
}

/** `GET /api/events?topics=figures,calls,approvals,episodes,runs`: server-sent events, named by topic. */
export interface LiveEvents {
  readonly figures: Figures;
  /** A sample where there are too many: `skipped` were left out. The filters of `/api/calls` hold here too. */
  readonly calls: { readonly calls: readonly ShownCall[]; readonly skipped: number };
  readonly approvals: { readonly waiting: number };
  /** Ids of episodes that began, moved or ended; empty says that there were too many to name. */
  readonly episodes: { readonly changed: readonly string[] };
  readonly runs: { readonly changed: readonly string[] };
  /** Only while a module is being written, with `biplane app dev`: told at once, and whenever it changes. */
  readonly module: ModuleState;
}

/** `version` counts how often the module was loaded; `problem` says why its newest state is not what runs. */
export interface ModuleState {
  readonly version: number;
  readonly problem: string | null;
}

/** `GET /api/episodes?server&status=open|over&after&limit`: `{ episodes, next }`. */
export interface ShownEpisode {
  readonly server: string;
  readonly id: string;
  readonly label: string | null;
  readonly seed: string;
  readonly config: unknown;
  readonly startedAt: string;
  readonly lastUsedAt: string;
  readonly stepCount: number;
  readonly totalReward: number;
  readonly lastReward: number | null;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly fault: string | null;
  /** The trace it was replayed from, and how far. */
  readonly origin: { readonly trace: string; readonly step: number } | null;
  /** What it is a fork of, where people made it. */
  readonly forkOf: Fork | null;
}

/** The episode at the other end of a fork, and after how many steps it was made. */
export interface Fork {
  readonly episode: string;
  readonly step: number;
}

/** `GET /api/episodes/:id`; also the answer to `POST /api/episodes` `{ server, seed?, config? }` and to a fork. */
export interface OpenedEpisode extends ShownEpisode {
  readonly observation: unknown;
  readonly rendered: Rendered | null;
  readonly parts: Readonly<Record<string, number>> | null;
  readonly tools: readonly ShownTool[];
  /** The steps that were seen here, the oldest first; at most the last 200. */
  readonly steps: readonly EpisodeStep[];
  readonly canFork: boolean;
  /** Those that people made of it and that are still there, at most 50. */
  readonly forks: readonly Fork[];
}

export type Rendered =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; readonly data: string };

export interface EpisodeStep {
  readonly step: number;
  readonly tool: string;
  readonly input: unknown;
  readonly result: ShownResult | null;
  readonly outcome: AuditOutcome;
  readonly reward: number | null;
  readonly call: string | null;
}

/** `POST /api/episodes/:id/calls` `{ tool, input }`: one step by hand. */
export interface PlayedStep {
  readonly result: ShownResult | null;
  readonly outcome: AuditOutcome;
  readonly message: string | null;
  readonly episode: OpenedEpisode;
}

/** `GET /api/runs?query&after&limit`: `{ runs, next }`, the newest first. */
export interface ShownRun extends Omit<Run, "status" | "settings"> {
  readonly status: Run["status"] | "interrupted";
  readonly finished: number;
  readonly failed: number;
  readonly meanReward: number | null;
  /** How far that may be off; null for fewer than two rollouts, and for runs from before it was kept. */
  readonly standardError: number | null;
}

/** `GET /api/runs/:id`. */
export interface OpenedRun extends ShownRun {
  readonly summary: Summary;
  /** The mean reward of rollouts in the order in which they ended, in at most 200 points, with a running mean. */
  readonly curve: readonly { readonly rollouts: number; readonly reward: number; readonly running: number }[];
  readonly distribution: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  readonly reasons: Readonly<Record<string, number>>;
  /** What is being played right now: the oldest of them, 50 at most. */
  readonly underWay: readonly UnderWay[];
}

/** A rollout that is not over yet, as far as it has come. */
export interface UnderWay {
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
  readonly startedAt: string;
  readonly steps: number;
  readonly reward: number;
}

/**
 * `GET /api/runs/:id/traces?reason&least&most&query&order=index|reward|steps|duration&after&limit`: `{ traces, next }`.
 * A `-` before the order turns it round; `reason=error` is any error.
 */
export interface ShownTrace {
  readonly id: string;
  readonly run: string;
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
  readonly seed: string | null;
  readonly agent: string;
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly steps: number;
  readonly reward: number;
  readonly reason: string;
  readonly message: string | null;
}

/** `GET /api/traces/:id`. */
export interface OpenedTrace extends ShownTrace {
  readonly observation: unknown;
  readonly messages: Trace["messages"];
  readonly ending: Trace["ending"];
  readonly usage: Trace["usage"];
  readonly trace: readonly TraceStep[];
  /** An environment that is served here can play it: replay and fork are possible. */
  readonly canReplay: boolean;
}

/** `GET /api/compare?left&right`: two traces side by side. What comes before the first step has step -1. */
export interface Comparison {
  readonly left: OpenedTrace;
  readonly right: OpenedTrace;
  readonly divergence: {
    readonly step: number;
    readonly what: string;
    readonly left: unknown;
    readonly right: unknown;
  } | null;
}

/** `POST /api/traces/:id/replay` `{ steps }`: an episode that stands where the trace stood after so many steps. */
export interface ReplayedTrace {
  readonly episode: OpenedEpisode;
  /** Where the replay was not as recorded; the episode stands just before. */
  readonly divergence: Comparison["divergence"];
}

/** `GET /api/scripts`: `{ scripts, next }`. */
export interface ShownScript {
  readonly name: string;
  readonly description: string | null;
  readonly hash: string;
  readonly status: "approved" | "changed" | "new" | "rejected" | "broken";
  readonly secrets: readonly string[];
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly fault: string | null;
}

/** `GET /api/scripts/:name`. */
export interface OpenedScript extends ShownScript {
  readonly source: string;
  /** The source that was approved last, to compare with; null where none was or where it is this one. */
  readonly approvedSource: string | null;
  readonly history: readonly {
    readonly hash: string;
    readonly verdict: string;
    readonly by: string;
    readonly at: string;
  }[];
}

/** `POST /api/scripts/:name/run` `{ input }`: a run for trying out. */
export interface ScriptRun {
  readonly outcome: AuditOutcome;
  readonly result: ShownResult | null;
  readonly message: string | null;
  readonly durationMs: number;
}

/** `GET /api/approvals/:id/before`: what was approved last for the same tool, to compare with. */
export interface ApprovedBefore {
  readonly input: unknown;
  readonly answeredBy: string;
  readonly answeredAt: string;
}

/** `GET /api/connections`: `{ connections, next }`, the MCP sessions that are open. */
export interface ShownConnection {
  /** Not the session's own id, which is a key. */
  readonly id: string;
  readonly server: string;
  readonly client: string;
  readonly version: string;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly openedAt: string;
  readonly lastUsedAt: string;
  readonly episode: string | null;
}

/** `GET /api/settings`: what holds here, without secrets. */
export interface Settings {
  readonly file: string | null;
  /** A key of the config file, what holds, and whether that was said or is the default. */
  readonly entries: readonly { readonly key: string; readonly value: unknown; readonly isDefault: boolean }[];
  readonly people: readonly { readonly name: string; readonly scopes: readonly string[] }[];
}

/** `GET /api/resource?server&uri&episode`: a resource as an app or a reader gets it. */
export interface ShownResource {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: JsonObject;
  }[];
}

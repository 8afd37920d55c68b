import { BiplaneError, environment, reply, text } from "@biplane/core";
import type { Environment, Tool } from "@biplane/core";
import type { ToolInfo } from "@biplane/core/client";
import { failedResult, remoteTool } from "@biplane/core/internal";
import type { LiveCall, Task } from "@biplane/core/internal";
import { notRecorded } from "./call-index.ts";
import { chooseSession } from "./choose-session.ts";
import type { AnswerJudge } from "./path-reward.ts";
import { pathReward } from "./path-reward.ts";
import type { PathWeights } from "./path-reward.ts";
import type { LiveFallback } from "./live-fallback.ts";
import { stepReply } from "./recorded-answer.ts";
import { RecordedAnswers } from "./recorded-answers.ts";
import { recordedReads, recordedTools } from "./recorded-items.ts";
import { RecordedPath } from "./recorded-path.ts";
import type { PathOrder, PathState } from "./recorded-path.ts";
import type { SessionRecording, SessionRecordings } from "./read-sessions.ts";

export interface RecordedEnvironmentOptions {
  /** The environment's name (default: the recorded server's). */
  readonly name?: string;
  /** Whether calls must come in their recorded order (default: `strict`). */
  readonly order?: PathOrder;
  /** Ends the episode at the first divergence (default: false). */
  readonly endOnDivergence?: boolean;
  /** Calls after which an episode is truncated (default: twice the recorded ones, and 10 more). */
  readonly maxSteps?: number;
  /** How much the path and the final answer count (default: half each, or only the path if there is no answer). */
  readonly weights?: PathWeights;
  /** Scores a final answer by the label's criteria (default: 1 if it equals the recorded one, else 0). */
  readonly judge?: AnswerJudge;
  /** Answers calls that the recording does not have. Closed with the environment. */
  readonly live?: LiveFallback;
}

/** The tool with which an agent gives its final answer. */
export const answerTool = "submit_answer";

/**
 * Makes recorded sessions an environment. Each session is a task. The state is where the session stands, tools answer
 * from the recording, and the reward says how far the agent follows the recorded path and whether its answer agrees.
 */
export function environmentFromRecording(
  recordings: SessionRecordings,
  options: RecordedEnvironmentOptions = {},
): Environment {
  const { order = "strict", live } = options;
  const { lists, server } = recordings;
  const paths = new Map(
    recordings.sessions
      .map((session) => new RecordedPath(session, { order, lists }))
      .filter(({ calls }) => calls.length > 0)
      .map((path) => [path.session.id, path]),
  );
  if (paths.size === 0)
    throw new BiplaneError("INVALID_INPUT", "The recording has no calls of tools, so there is nothing to play.");
  const sessions = [...paths.values()].map(({ session }) => session);
  const pathOf = ({ session }: PathState) => paths.get(session) as RecordedPath;
  const all = recordings.sessions.flatMap(({ calls }) => calls);
  const made = environment({
    name: options.name ?? server.name,
    version: server.version,
    description: `Recorded sessions of ${server.name}. Make the calls that the recorded agent made.`,
    config: {
      type: "object",
      properties: {
        session: { type: "string", description: "The recorded session, or the id of its label (default: by the seed)" },
      },
    } as const,
    start: ({ config: { session }, random }): PathState => {
      const chosen =
        session === undefined ? sessions[random.integers(sessions.length)] : chooseSession(sessions, session);
      return (paths.get((chosen as SessionRecording).id) as RecordedPath).start;
    },
    observe: (state) => observationOf(state, pathOf(state).session),
    tools: () => ({
      ...Object.fromEntries(recordedTools(recordings).map((info) => [info.name, recordedTool(info, { pathOf, live })])),
      ...(sessions.some(expectsAnswer) && { [answerTool]: answering(recordings) }),
    }),
    ...recordedReads({ ...recordings, lists: withoutOwn(lists) }, new RecordedAnswers(all, lists)),
    reward: ({ before, after }) => pathReward({ before, after, path: pathOf(after) }, options),
    status: (state) => {
      const path = pathOf(state);
      const isDone = state.answer !== null || (path.expected(state) === undefined && !expectsAnswer(path.session));
      const hasLeft = options.endOnDivergence === true && state.divergence !== null;
      return {
        terminated: isDone || hasLeft,
        truncated: state.steps >= (options.maxSteps ?? path.calls.length * 2 + 10),
      };
    },
    info: (state) => pathInfo(state, pathOf(state)),
    publicState: (state) => pathInfo(state, pathOf(state)),
    tasks: splitsOf(sessions),
  });
  if (live) made.server.whenClosed(async () => live[Symbol.asyncDispose]());
  return made;
}

/** An environment that was recorded lists its first observation, as this one does itself. */
function withoutOwn(lists: SessionRecordings["lists"]): SessionRecordings["lists"] {
  return { ...lists, resources: lists.resources.filter(({ uri }) => uri !== "environment://initial_state") };
}

interface RecordedToolOptions {
  readonly pathOf: (state: PathState) => RecordedPath;
  readonly live: LiveFallback | undefined;
}

/** A recorded tool in an episode. Every call is a step, also one that fails or leaves the path. */
function recordedTool(info: ToolInfo, { pathOf, live }: RecordedToolOptions): Tool {
  const { name } = info;
  const listed = remoteTool(info, {
    timeoutMs: 60_000,
    checkInput: false,
    call: () => Promise.reject(new Error(name)),
  });
  const run: Tool["run"] = async (input, caller) => {
    const call = caller as LiveCall & { state: PathState };
    const path = pathOf(call.state);
    const now = { tool: name, arguments: input };
    const { state, answer } = path.follow(call.state, now);
    call.state = state;
    if (answer) return stepReply(answer);
    const result = await live?.call(now, call.signal);
    if (result) {
      call.state = { ...state, live: state.live + 1 };
      return stepReply({ result });
    }
    return stepReply({ result: failedResult(notRecorded(now)) });
  };
  // A tool that only reads would make no step.
  return Object.freeze({ ...listed, annotations: { ...listed.annotations, readOnlyHint: false }, run });
}

function answering({ lists }: SessionRecordings): Tool {
  if (lists.tools.some(({ name }) => name === answerTool))
    throw new BiplaneError("INVALID_INPUT", `The recorded server has a tool named ${answerTool} itself.`);
  const info = {
    name: answerTool,
    description: "Gives the final answer, which ends the episode",
    inputSchema: {
      type: "object",
      properties: { answer: { type: "string", maxLength: 20_000 } },
      required: ["answer"],
    },
  };
  const run: Tool["run"] = (input, caller) => {
    const call = caller as LiveCall & { state: PathState };
    call.state = { ...call.state, answer: String((input as { answer: unknown }).answer) };
    return reply(text("Noted."));
  };
  const listed = remoteTool(info, { timeoutMs: 60_000, checkInput: true, call: () => Promise.reject(new Error()) });
  return Object.freeze({ ...listed, run });
}

/** The recorded agent's task and first observation, and how many of its calls were made. */
function observationOf({ made }: PathState, { label, observation }: SessionRecording): Record<string, unknown> {
  return {
    ...(label.task !== undefined && { task: label.task }),
    ...(observation !== undefined && { start: observation }),
    position: made.length,
  };
}

/** What trainers see. */
function pathInfo(state: PathState, path: RecordedPath) {
  const { session, made, steps, divergence, divergences, live } = state;
  return { session, position: made.length, of: path.calls.length, steps, divergence, divergences, live };
}

function expectsAnswer({ label }: SessionRecording): boolean {
  return label.answer !== undefined || label.criteria !== undefined;
}

/** `all`, and a split for each name in the labels. Sessions without one are in `train`. */
function splitsOf(sessions: readonly SessionRecording[]): Record<string, Task[]> {
  const splits: Record<string, Task[]> = { all: [], train: [] };
  for (const session of sessions) {
    const { id, label } = session;
    const task: Task = {
      id: label.id ?? id,
      config: { session: id },
      ...(label.task !== undefined && { user_prompt_template: label.task.replaceAll(/[{}]/g, "$&$&") }),
    };
    splits["all"]?.push(task);
    (splits[label.split ?? "train"] ??= []).push(task);
  }
  return splits;
}

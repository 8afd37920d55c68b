import { serverOf } from "@biplane/core/internal";
import { BiplaneError, server, tool } from "biplane";
import type { AgentContext, Call, CallEnd, CallError, CallStart, Hooks, Policy, Principal } from "biplane";
import type { Approver } from "../../packages/core/src/call/approve.ts";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Outcome } from "../../packages/core/src/call/outcome.ts";
import { isReply } from "../../packages/core/src/tool/content.ts";
import { within } from "../support/within.ts";
import { expectationOf } from "./model.ts";
import { boom, inputSchemas, outputSchema, policyOf, things, values } from "./scenario.ts";
import type { HookHabit, Scenario } from "./scenario.ts";

/** What was seen while a scenario was played. */
export interface Story {
  readonly end: string;
  readonly outcome: Outcome | undefined;
  readonly value: unknown;
  readonly asked: readonly number[];
  readonly approvals: number;
  readonly runs: number;
  readonly seenByPolicies: readonly object[];
  readonly seenByRun: readonly object[];
  readonly request: object;
  readonly watchers: readonly (readonly Seen[])[];
}

interface Seen {
  readonly event: "start" | "end" | "error";
  readonly record: CallStart | CallEnd | CallError;
}

/** Makes the scenario's server, makes the call, and waits until nothing moves any more. */
export async function play(scenario: Scenario): Promise<Story> {
  const asked: number[] = [];
  const seenByPolicies: object[] = [];
  const seenByRun: object[] = [];
  let approvals = 0;
  const agent = freshAgent();
  const principal = freshPrincipal();
  const request = { input: structuredClone(scenario.input.value), agent, principal };
  const caller = callerOf(scenario, request);

  const lastAsked = expectationOf(scenario).asked - 1;
  const policies = scenario.policies.map(({ says, late }, index): Policy => {
    const policy = policyOf(says, late);
    return (agent, toolName, input, context) => {
      asked.push(index);
      seenByPolicies.push(structuredClone({ input, agent, principal: context.principal }));
      if (scenario.cancel === "in a policy" && index === lastAsked) caller.cancel();
      return policy(agent, toolName, input, context);
    };
  });
  const approve: Approver["approve"] = async () => {
    approvals++;
    await Promise.resolve();
    if (scenario.approver === "no") throw new BiplaneError("APPROVAL_REJECTED", "no");
    if (scenario.approver === "pending") throw new BiplaneError("APPROVAL_PENDING", "later");
    if (scenario.approver === "breaks") boom();
    return { by: "somebody", waited: false };
  };
  const subject = tool({
    name: "subject",
    input: inputSchemas[scenario.schema],
    ...(scenario.hasOutput && { output: outputSchema }),
    timeoutMs: scenario.run.does === "hang" ? 5 : 10_000,
    run: (input, call) => {
      seenByRun.push(structuredClone({ input, agent: call.agent, principal: call.principal }));
      if (scenario.cancel === "in run") caller.cancel();
      return behave(scenario, call) as never;
    },
  });
  const watchers = scenario.watched ? [watcher(), watcher()] : [];
  const [first, last] = watchers;
  const gateway = server({
    name: "story",
    version: "1",
    tools: [subject],
    policies,
    ...(scenario.approver !== "nobody" && { approver: { approve } }),
    hooks: [...(first ? [first.hooks] : []), ...scenario.hooks.map(hooksOf), ...(last ? [last.hooks] : [])],
    onFault: () => undefined,
  });

  if (scenario.cancel === "before") caller.cancel();
  const ended = await within(2000, "the call", caller.make(gateway, scenario.known ? "subject" : "outsider"));
  if (scenario.cancel === "after") caller.cancel();
  await within(2000, "draining", serverOf(gateway).drain(0));
  const seen = watchers.map(({ seen }) => seen);
  return {
    ...ended,
    asked,
    approvals,
    runs: seenByRun.length,
    seenByPolicies,
    seenByRun,
    request,
    watchers: seen,
  };
}

interface Caller {
  cancel(): void;
  make(gateway: ReturnType<typeof server>, name: string): Promise<Pick<Story, "end" | "outcome" | "value">>;
}

/** One of the two endpoints of a server in process. */
function callerOf(
  { handler }: Scenario,
  request: { input: unknown; agent: AgentContext; principal: Principal },
): Caller {
  if (handler === "call") {
    const controller = new AbortController();
    const { input, ...options } = request;
    return {
      cancel: () => controller.abort(),
      async make(gateway, name) {
        try {
          const value = await gateway.call(name, input, { ...options, signal: controller.signal });
          return { end: "done", outcome: undefined, value };
        } catch (error) {
          return { end: codeOf(error), outcome: undefined, value: undefined };
        }
      },
    };
  }
  let call: LiveCall | undefined;
  let early = false;
  return {
    cancel() {
      early = true;
      call?.cancel();
    },
    async make(gateway, tool) {
      call = new LiveCall({ tool, route: "direct", ...request });
      if (early) call.cancel();
      const outcome = await serverOf(gateway).perform(call);
      if (outcome.status === "failed") return { end: codeOf(outcome.error), outcome, value: undefined };
      const value = outcome.status === "done" ? outcome.value : undefined;
      const plain = isReply(value) ? (value.structured ?? value.content) : value;
      return { end: outcome.status, outcome, value: plain };
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof BiplaneError ? error.code : `not one of ours: ${Object.prototype.toString.call(error)}`;
}

function behave({ run }: Scenario, call: Call): unknown {
  if (run.does === "hang") return hang(run.whenAborted, call.signal);
  const act = () => {
    if (run.does === "return") return values[run.value].make(run.json);
    throw things[run.thing].make();
  };
  return run.late ? Promise.resolve().then(act) : act();
}

function hang(whenAborted: string, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const react = () => {
      if (whenAborted === "obeys") reject(signal.reason as Error);
      if (whenAborted === "returns anyway") resolve("too late");
      if (whenAborted === "throws late") setImmediate(() => reject(new Error("too late")));
    };
    if (signal.aborted) react();
    signal.addEventListener("abort", react);
  });
}

function watcher(): { seen: Seen[]; hooks: Hooks } {
  const seen: Seen[] = [];
  return {
    seen,
    hooks: {
      onStart: (record) => void seen.push({ event: "start", record }),
      onEnd: (record) => void seen.push({ event: "end", record }),
      onError: (record) => void seen.push({ event: "error", record }),
    },
  };
}

function hooksOf(habit: HookHabit): Hooks {
  const act = (record: object): void | Promise<void> => {
    if (habit === "throws") boom();
    if (habit === "rejects") return Promise.reject(new Error("the hook broke"));
    if (habit === "meddles") meddle(record, new Set());
  };
  return { onStart: act, onEnd: act, onError: act };
}

/** Tries to change everything that can be reached. */
function meddle(value: unknown, seen: Set<unknown>): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const inner of Object.values(value)) meddle(inner, seen);
  for (const key of [...Object.keys(value), "added"]) Reflect.set(value, key, "meddled");
  for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
  if (value instanceof Date) value.setTime(0);
}

export const freshAgent = (): AgentContext => ({
  agentId: "a",
  model: "m",
  requestId: "r",
  metadata: { key: "value" },
});
export const freshPrincipal = (): Principal => ({ kind: "token", id: "someone", scopes: ["read"] });

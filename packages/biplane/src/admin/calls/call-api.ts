import type { AgentContext } from "@biplane/core";
import { principalKinds, routes } from "@biplane/core/internal";
import type { TimelineDecision, TimelineStep, ValueOf } from "@biplane/core/internal";
import {
  anything,
  boolean,
  described,
  enumOf,
  instant,
  integer,
  list,
  named,
  number,
  object,
  orNull,
  record,
  shape,
  text,
  time,
} from "../../schema/builders.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";
import { callVias } from "../try-call/call-vias.ts";
import { outcomes } from "./outcomes.ts";

export const outcome = named("Outcome", described("`done`, `suspended`, or an error code", enumOf(...outcomes)));
export const caller = named("Caller", object({ kind: enumOf(...principalKinds), id: text }));
export const route = enumOf(...routes);
export const agent = shape<Pick<AgentContext, "agentId" | "model" | "requestId">>(
  { agentId: text, requestId: text },
  { model: text },
);

/** A tool result in MCP format. */
export const ResultBody = named(
  "ResultBody",
  object({ content: list(record) }, { structuredContent: anything, isError: boolean, _meta: record }),
);
export type ResultBody = ValueOf<typeof ResultBody>;

const call = {
  id: text,
  at: time,
  server: text,
  tool: text,
  route,
  agent,
  principal: caller,
  session: described("Public id of the MCP session", orNull(text)),
  episode: orNull(text),
  outcome,
  message: orNull(text),
  durationMs: described("From the request to the outcome, with `waitedMs`", number),
  waitedMs: described("The part of durationMs that the call waited for people", number),
  preview: described("The beginning of the input, as JSON. Null for calls that were stored without it", orNull(text)),
};

export const CallSummary = named("CallSummary", object(call));
export type CallSummary = ValueOf<typeof CallSummary>;

const timelineStep = shape<TimelineStep>(
  { step: text, endedMs: number },
  {
    decisions: list(
      shape<TimelineDecision>(
        { by: text, verdict: enumOf("allow", "deny", "ask", "approved", "rejected") },
        { reason: text, policy: described("The policy, if `by` is a rule of it", text) },
      ),
    ),
  },
);

const CallDetail = named(
  "CallDetail",
  object({
    ...call,
    input: anything,
    result: orNull(ResultBody),
    timeline: list(timelineStep),
    step: described(
      "The reward and status of the step, in an episode",
      orNull(object({ reward: orNull(number), stepCount: integer, terminated: boolean })),
    ),
  }),
);
export type CallDetail = ValueOf<typeof CallDetail>;

const via = enumOf(...callVias);

const CallRequestBody = named(
  "CallRequest",
  object(
    {
      server: text,
      tool: text,
      via: { ...list(via), minItems: 1, uniqueItems: true },
    },
    {
      input: { ...record, default: {} },
      episode: described(
        "With several entries in `via`, each uses a fork, so that all start from the same state. A single one is a step",
        text,
      ),
      app: described("URI of the app page that calls, if any. It may only call tools of its own server", text),
    },
  ),
);
export type CallRequestBody = ValueOf<typeof CallRequestBody, true>;

const CallViaResult = named(
  "CallViaResult",
  object({
    via,
    sent: described("The request as sent, as far as it can be shown", text),
    received: text,
    outcome,
    result: orNull(ResultBody),
    durationMs: described("Run time, without waits for people", number),
    call: described("For `/api/calls/{id}`", orNull(text)),
  }),
);
export type CallViaResult = ValueOf<typeof CallViaResult>;

/** Which calls to list. Names match by substring, other fields exactly. */
export const callFilter = {
  server: text,
  tool: described("Substring of the tool name", text),
  agent: described("Substring of the agent id", text),
  principal: described("Substring of the principal id", text),
  route,
  outcome: described("`failed` matches any error", enumOf("failed", ...outcomes)),
  episode: text,
  slower: described("Least run time in milliseconds, without waits for people", { type: "number", minimum: 0 }),
  since: described("Calls that ended at this time or later", instant),
  until: described("Calls that ended before this time", instant),
};

/** The call log, and calls made by people. */
export const callOperations = {
  "GET /api/calls": {
    scope: "calls",
    summary: "recent calls, newest first",
    query: filteredPage(callFilter),
    response: pageOf("calls", CallSummary),
  },
  "GET /api/calls/:id": {
    scope: "calls",
    summary: "a call with input, decisions, timeline and result; long values are cut",
    response: CallDetail,
  },
  "POST /api/calls": {
    scope: "tools",
    summary: "call a tool once per `via`; in an episode it also needs the scope `episodes`",
    body: CallRequestBody,
    response: object({ results: list(CallViaResult) }),
    errors: { 404: "No such tool", 501: "The tool cannot be called that way", 503: "At capacity" },
  },
} as const satisfies Operations;

import type { TrailDecision, TrailStep } from "../../call/trail.ts";
import type { ToolAnnotations } from "../../tool/tool.ts";
import type {
  CallWish,
  Figures,
  OpenedCall,
  Overview,
  ShownCall,
  ShownDoor,
  ShownResource,
  ShownResult,
  ShownServer,
  ShownTool,
  WayAnswer,
} from "../contract.ts";
import { principalKinds, routes } from "../../call/rules/conditions.ts";
import { outcomes } from "../outcomes.ts";
import {
  about,
  anything,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  record,
  ref,
  shape,
  text,
  time,
  whole,
} from "./schema.ts";

const call = {
  id: text,
  at: time,
  server: text,
  tool: text,
  route: oneOf(...routes),
  agent: object({ agentId: text, requestId: text }, { model: text }),
  principal: ref("Caller"),
  session: about("A name for the MCP session, which opens nothing", orNull(text)),
  episode: orNull(text),
  outcome: ref("Outcome"),
  message: orNull(text),
  durationMs: number,
};

const ways = oneOf("mcp-2026-07-28", "mcp-2025-11-25", "execute", "step", "code", "app");

/** What is served, called and seen. */
export const houseSchemas = {
  Error: object({ error: text, message: about("A sentence that names the thing and the way out", text) }),
  Outcome: about("`done`, `suspended`, or the code of an error", oneOf(...outcomes)),
  Caller: object({ kind: oneOf(...principalKinds), id: text }),
  Overview: shape<Overview>({
    name: text,
    version: text,
    mode: oneOf("simulation", "production"),
    startedAt: time,
    url: text,
    servers: list(ref("ShownServer")),
    figures: ref("Figures"),
    sandbox: about("Where apps run, with `{app}` in place of the name", orNull(text)),
    command: orNull(object({ command: text, args: list(text) })),
  }),
  ShownServer: shape<ShownServer>(
    {
      name: text,
      version: text,
      kind: oneOf("server", "environment"),
      base: about("Empty for the first, `/env/<name>` for the others", text),
      doors: list(shape<ShownDoor>({ plane: oneOf("data", "trainer", "people", "watch"), path: text, what: text })),
      tools: whole,
      resources: whole,
      prompts: whole,
    },
    {
      title: text,
      description: text,
      episodes: object({ open: whole, most: number }),
      config: about("A JSON Schema", record),
    },
  ),
  Figures: shape<Figures>({
    at: time,
    callsPerSecond: number,
    errorsPerSecond: number,
    calls: whole,
    errors: whole,
    running: whole,
    approvalsWaiting: whole,
    episodes: whole,
    sessions: whole,
    minute: about("The last minute, a second each, the newest last", list(object({ calls: whole, errors: whole }))),
  }),
  ShownTool: shape<ShownTool>(
    {
      server: text,
      name: text,
      input: about("A JSON Schema", record),
      annotations: shape<ToolAnnotations>(
        {},
        { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
      ),
      timeoutMs: number,
      idempotent: flag,
      interactive: flag,
      needsEpisode: flag,
    },
    {
      title: text,
      description: text,
      output: about("A JSON Schema", record),
      task: oneOf("optional", "required"),
      app: object({ uri: text, visibility: list(oneOf("model", "app")) }),
    },
  ),
  CallWish: {
    ...shape<CallWish>(
      { server: text, tool: text, input: anything, ways: { ...list(ways), minItems: 1 } },
      { episode: text, app: about("The page that calls, where one does", text) },
    ),
    additionalProperties: false,
  },
  WayAnswer: shape<WayAnswer>({
    way: ways,
    sent: text,
    received: text,
    outcome: ref("Outcome"),
    result: orNull(ref("ShownResult")),
    durationMs: number,
    call: about("For `/api/calls/{id}`", orNull(text)),
  }),
  ShownResult: shape<ShownResult>(
    { content: list(record) },
    { structuredContent: anything, isError: flag, _meta: record },
  ),
  ShownCall: shape<ShownCall>(call),
  OpenedCall: shape<OpenedCall>({
    ...call,
    input: anything,
    result: orNull(ref("ShownResult")),
    trail: list(
      shape<TrailStep>(
        { step: text, endedMs: number },
        {
          decisions: list(
            shape<TrailDecision>(
              { by: text, verdict: oneOf("allow", "deny", "ask", "approved", "rejected") },
              { reason: text },
            ),
          ),
        },
      ),
    ),
    step: orNull(object({ reward: orNull(number), stepCount: whole, terminated: flag })),
  }),
  ShownResource: shape<ShownResource>({
    contents: list(object({ uri: text }, { mimeType: text, text, blob: text, _meta: record })),
  }),
};

import type { ValueOf } from "@biplane/core/internal";
import {
  boolean,
  described,
  enumOf,
  integer,
  list,
  named,
  number,
  object,
  orNull,
  record,
  text,
  time,
} from "../../schema/builders.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const jsonSchema = described("A JSON Schema", record);

const EndpointInfo = object({
  plane: enumOf("data", "trainer", "admin", "monitoring"),
  path: text,
  description: text,
});
export type EndpointInfo = ValueOf<typeof EndpointInfo>;

const ServerInfo = named(
  "ServerInfo",
  object(
    {
      name: text,
      version: text,
      kind: enumOf("server", "environment"),
      base: described("Empty for the first server, `/env/<name>` for the others", text),
      endpoints: list(EndpointInfo),
      tools: integer,
      resources: integer,
      prompts: integer,
    },
    {
      title: text,
      description: text,
      episodes: object({ open: integer, max: number }),
      config: described("JSON Schema of the episode config, for environments", record),
    },
  ),
);
export type ServerInfo = ValueOf<typeof ServerInfo>;

export const Figures = named(
  "Figures",
  object({
    at: time,
    callsPerSecond: number,
    errorsPerSecond: number,
    calls: integer,
    errors: integer,
    asked: described("Of the errors, calls that wait for a person's approval", integer),
    running: described("Calls that run now, without those that wait for a person", integer),
    waiting: described("Calls of this process that wait for a person", integer),
    approvalsWaiting: integer,
    episodes: integer,
    sessions: integer,
    minute: described(
      "The last minute by second, oldest first",
      list(object({ calls: integer, errors: integer, asked: integer })),
    ),
  }),
);
export type Figures = ValueOf<typeof Figures>;

const Overview = named(
  "Overview",
  object({
    name: text,
    version: text,
    mode: enumOf("simulation", "production"),
    startedAt: time,
    url: described("The public URL", text),
    servers: list(ServerInfo),
    figures: Figures,
    sandbox: described(
      "URL template of the app sandbox, with `{app}` for the name; null if apps cannot run",
      orNull(text),
    ),
    command: described(
      "The command with which a desktop host starts this server, if known",
      orNull(object({ command: text, args: list(text) })),
    ),
  }),
);
export type Overview = ValueOf<typeof Overview>;

const annotations = object(
  {},
  { title: text, readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean, openWorldHint: boolean },
);

export const ToolSummary = named(
  "ToolSummary",
  object(
    {
      server: text,
      name: text,
      input: jsonSchema,
      annotations,
      timeoutMs: number,
      idempotent: boolean,
      interactive: boolean,
      needsEpisode: described("True in environments: a call needs an episode", boolean),
    },
    {
      title: text,
      description: text,
      output: jsonSchema,
      task: enumOf("optional", "required"),
      app: object({ uri: text, visibility: list(enumOf("model", "app")) }),
    },
  ),
);
export type ToolSummary = ValueOf<typeof ToolSummary>;

const ResourceBody = named(
  "ResourceBody",
  object({ contents: list(object({ uri: text }, { mimeType: text, text, blob: text, _meta: record })) }),
);
export type ResourceBody = ValueOf<typeof ResourceBody>;

export const documentOperations = {
  "GET /api/openapi.json": { scope: "person", summary: "this description, as OpenAPI 3.1", response: record },
} as const satisfies Operations;

export const overviewOperations = {
  "GET /api/overview": { scope: "person", summary: "servers and current figures", response: Overview },
} as const satisfies Operations;

export const toolOperations = {
  "GET /api/tools": {
    scope: "tools",
    summary: "tools of all servers",
    query: filteredPage({ server: text, query: described("Words in the name, title or description", text) }),
    response: pageOf("tools", ToolSummary),
  },
} as const satisfies Operations;

export const resourceOperations = {
  "GET /api/resource": {
    scope: "tools",
    summary: "read a resource; in an episode it also needs the scope `episodes`",
    query: object(
      { uri: text },
      { server: text, episode: text, app: described("URI of the app page that asks, if any", text) },
    ),
    response: ResourceBody,
    errors: {
      404: "No such resource",
      409: "It needs approval, or the episode has ended",
      429: "Rate limit exceeded",
      501: "It cannot be read here",
      502: "Reading it failed",
      503: "At capacity",
      504: "Timed out",
    },
  },
} as const satisfies Operations;

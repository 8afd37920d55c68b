import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { episodeName, isRecord } from "./payload.ts";

/** `/metadata` */
export function metadataOf({ name, version, rules }: Environment): object {
  const description = rules.options.description ?? `${name} environment`;
  return { name, description, readme_content: null, version, author: null, documentation_url: null };
}

/** `/schema`: what an action, an observation and a state look like. */
export function schemasOf(environment: Environment): object {
  const { action } = environment.rules.options;
  const typed = action === undefined ? undefined : environment.rules.tools[action]?.input.json;
  return { action: typed ? actionSchema(typed) : callToolSchema, observation: observationSchema, state: stateSchema };
}

/** `/state` */
export async function stateOf({ rules }: Environment, episode: Episode | undefined): Promise<object> {
  if (!episode) return { episode_id: null, step_count: 0 };
  const extra = await rules.options.publicState?.(episode.state, episode.standing);
  return { episode_id: episodeName(episode), step_count: episode.stepCount, ...(isRecord(extra) && extra) };
}

/** `/openapi.json`: enough of it for tools that look whether this is an OpenEnv server. */
export function openApi({ name, version }: Environment): object {
  const get = (summary: string) => ({ get: { summary, responses: { 200: { description: "OK" } } } });
  const post = (summary: string) => ({ post: { summary, responses: { 200: { description: "OK" } } } });
  return {
    openapi: "3.1.0",
    info: { title: name, version: /^\d+\./.test(version) ? version : "1.0.0" },
    paths: {
      "/health": get("Whether it is up"),
      "/metadata": get("What it is"),
      "/schema": get("Schemas of action, observation and state"),
      "/mcp": post("MCP"),
      "/reset": post("Begin an episode"),
      "/step": post("Take a step"),
      "/state": get("Where the episode stands"),
    },
  };
}

function actionSchema(schema: JsonObject): JsonObject {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return { ...schema, title: "Action", properties: { metadata: metadataSchema, ...properties } };
}

const metadataSchema = { type: "object", additionalProperties: true, title: "Metadata" };

const callToolSchema = {
  title: "CallToolAction",
  type: "object",
  properties: {
    metadata: metadataSchema,
    type: { const: "call_tool", default: "call_tool", type: "string" },
    tool_name: { type: "string" },
    arguments: { type: "object", additionalProperties: true },
  },
  required: ["tool_name"],
  additionalProperties: false,
};

const observationSchema = {
  title: "Observation",
  type: "object",
  properties: {
    done: { type: "boolean", default: false },
    reward: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    metadata: metadataSchema,
  },
  additionalProperties: true,
};

const stateSchema = {
  title: "State",
  type: "object",
  properties: {
    episode_id: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    step_count: { type: "integer", minimum: 0, default: 0 },
  },
  additionalProperties: true,
};

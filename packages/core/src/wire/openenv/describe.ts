import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { episodeName } from "./payload.ts";
import { isRecord } from "../../is-record.ts";

/**
 * What describes an environment, by path. In production, agents may read it, and it has nothing of rewards, endings,
 * resets and state.
 */
export function describeEnvironment(environment: Environment, path: string): object | undefined {
  switch (path) {
    case "/metadata":
      return environmentMetadata(environment);
    case "/schema":
      return schemasOf(environment);
    case "/openapi.json":
      return openApi(environment);
    default:
      return undefined;
  }
}

function environmentMetadata({ name, version, rules }: Environment): object {
  const description = rules.options.description ?? `${name} environment`;
  return { name, description, readme_content: null, version, author: null, documentation_url: null };
}

/** The schemas of action, observation and state. */
function schemasOf({ name, rules, server }: Environment): object {
  const typed = rules.options.action === undefined ? undefined : rules.tools[rules.options.action]?.input.json;
  const isProduction = server.mode === "production";
  const observation = isProduction ? agentObservationSchema : observationSchema;
  return {
    action: typed ? actionSchema(typed, name) : callToolSchema,
    observation,
    ...(!isProduction && { reset_observation: { ...observation, title: "ResetObservation" } }),
    state: isProduction ? noStateSchema : stateSchema,
  };
}

/** `/state` */
export async function stateOf({ rules }: Environment, episode: Episode | undefined): Promise<object> {
  if (!episode) return { episode_id: null, step_count: 0 };
  const extra = await rules.options.publicState?.(episode.state, episode.context);
  return { episode_id: episodeName(episode), step_count: episode.stepCount, ...(isRecord(extra) && extra) };
}

/** Just enough for tools that detect OpenEnv servers by it. */
function openApi({ name, version, server }: Environment): object {
  const get = (summary: string) => ({ get: { summary, responses: { 200: { description: "OK" } } } });
  const post = (summary: string) => ({ post: { summary, responses: { 200: { description: "OK" } } } });
  return {
    openapi: "3.1.0",
    info: { title: name, version: /^\d+\./.test(version) ? version : "1.0.0" },
    paths: {
      "/health": get("Health check"),
      "/metadata": get("Environment metadata"),
      "/schema": get("Schemas of action, observation and state"),
      "/mcp": post("MCP"),
      ...(server.mode === "simulation" && {
        "/reset": post("Start an episode"),
        "/step": post("Take a step"),
        "/state": get("Current state of the episode"),
      }),
    },
  };
}

function actionSchema(schema: JsonObject, name: string): JsonObject {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return { ...schema, title: actionTitle(name), properties: { metadata: metadataSchema, ...properties } };
}

/** Such as `GridWorldAction`. Clients take the titles of OpenEnv's own actions for an environment with tools. */
function actionTitle(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const title = `${words.join("")}Action`;
  return toolActionTitles.includes(title) ? `Typed${title}` : title;
}

const toolActionTitles = ["Action", "CallToolAction", "ListToolsAction"];

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

const agentObservationSchema = {
  title: "Observation",
  type: "object",
  properties: { metadata: metadataSchema },
  additionalProperties: true,
};

const noStateSchema = { title: "State", type: "object", properties: {}, additionalProperties: false };

const stateSchema = {
  title: "State",
  type: "object",
  properties: {
    episode_id: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    step_count: { type: "integer", minimum: 0, default: 0 },
  },
  additionalProperties: true,
};

import type { AdminParts } from "../admin-parts.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import type { Mode } from "@biplane/core/internal";
import { Environment, serverOf } from "@biplane/core/internal";
import { overviewOperations } from "./overview-api.ts";
import type { EndpointInfo, ServerInfo } from "./overview-api.ts";
import type { Served } from "@biplane/core";

/** `GET /api/overview`: the servers and their current figures, for every logged-in person. */
export function overviewRoutes(parts: AdminParts): ApiRoutes {
  const { name, version, served, figures, url, sandbox = () => null, command = null, startedAt } = parts;
  return routesOf(overviewOperations, {
    "GET /api/overview": async () => ({
      name,
      version,
      mode: served[0] ? serverOf(served[0]).mode : "simulation",
      startedAt: startedAt.toISOString(),
      url: url(),
      servers: served.map((each, at) => shownServer(each, at === 0)),
      figures: await figures.read(),
      sandbox: sandbox(),
      command,
    }),
  });
}

function shownServer(served: Served, isRoot: boolean): ServerInfo {
  const server = serverOf(served);
  const { title, description } = server.options;
  const config = served instanceof Environment ? served.rules.config?.json : undefined;
  const described = { title, description, config };
  const shown = server.redactor?.value(described) ?? described;
  const base = isRoot ? "" : `/env/${served.name}`;
  return {
    name: served.name,
    version: served.version,
    ...(shown.title !== undefined && { title: shown.title }),
    ...(shown.description !== undefined && { description: shown.description }),
    kind: served instanceof Environment ? "environment" : "server",
    base,
    endpoints: endpointsOf(served, server.mode, isRoot).map((each) => ({ ...each, path: `${base}${each.path}` })),
    tools: server.catalog.tools.size,
    resources: server.catalog.resources.size,
    prompts: server.catalog.prompts.size,
    ...(served instanceof Environment && {
      episodes: { open: served.episodes.size, max: served.episodes.maxEpisodes },
    }),
    ...(shown.config !== undefined && { config: shown.config }),
  };
}

function endpointsOf(served: Served, mode: Mode, isRoot: boolean): readonly EndpointInfo[] {
  return [
    ...dataEndpoints,
    ...(served instanceof Environment && mode === "simulation" ? trainerEndpoints : []),
    ...(isRoot ? adminEndpoints : []),
  ];
}

const dataEndpoints: readonly EndpointInfo[] = [
  { plane: "data", path: "/mcp", description: "MCP over HTTP and WebSocket" },
  { plane: "data", path: "/mcp/execute", description: "one call per POST" },
  { plane: "data", path: "/mcp/capabilities", description: "available tools" },
];

const trainerEndpoints: readonly EndpointInfo[] = [
  { plane: "data", path: "/e/{episode}/mcp", description: "MCP for one episode" },
  { plane: "trainer", path: "/ws", description: "OpenEnv over WebSocket" },
  { plane: "trainer", path: "/reset", description: "OpenEnv over HTTP, with /step and /state" },
  { plane: "trainer", path: "/control/initial_state", description: "Eval Protocol, with /reward and /status" },
  { plane: "trainer", path: "/control/episodes", description: "start, fork, save and end episodes" },
];

const adminEndpoints: readonly EndpointInfo[] = [
  { plane: "admin", path: "/", description: "this page" },
  { plane: "admin", path: "/api", description: "admin API" },
  { plane: "monitoring", path: "/metrics", description: "Prometheus metrics" },
  { plane: "monitoring", path: "/healthz", description: "liveness" },
  { plane: "monitoring", path: "/readyz", description: "readiness" },
];

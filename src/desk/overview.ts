import { found } from "../admin/api/answers.ts";
import type { Routes } from "../admin/api/router.ts";
import type { Mode } from "../call/policy.ts";
import { Environment } from "../environment/environment.ts";
import type { Overview, ShownDoor, ShownServer } from "./contract.ts";
import type { FiguresDesk } from "./figures-desk.ts";
import { serverOf } from "./served.ts";
import type { Served } from "./served.ts";

export interface OverviewParts {
  readonly name: string;
  readonly version: string;
  readonly served: readonly Served[];
  readonly figures: FiguresDesk;
  /** Where others reach it, once that is known. */
  readonly url: () => string;
  readonly sandbox?: () => string | null;
  readonly command?: Overview["command"];
  readonly startedAt: Date;
}

/** `GET /api/overview`: what is served here and how it does. Everyone who is logged in may see it. */
export function overviewRoutes(parts: OverviewParts): Routes {
  const { name, version, served, figures, url, sandbox = () => null, command = null, startedAt } = parts;
  return {
    "GET /api/overview": {
      scope: "person",
      run: async () => {
        const mode = served[0] ? serverOf(served[0]).mode : "simulation";
        const overview: Overview = {
          name,
          version,
          mode,
          startedAt: startedAt.toISOString(),
          url: url(),
          servers: served.map((each, at) => shownServer(each, at === 0)),
          figures: await figures.read(),
          sandbox: sandbox(),
          command,
        };
        return found(overview);
      },
    },
  };
}

function shownServer(served: Served, isRoot: boolean): ShownServer {
  const server = serverOf(served);
  const { title, description } = server.options;
  const config = served instanceof Environment ? served.rules.config?.json : undefined;
  const said = { title, description, config };
  const shown = server.redactor?.value(said) ?? said;
  const base = isRoot ? "" : `/env/${served.name}`;
  return {
    name: served.name,
    version: served.version,
    ...(shown.title !== undefined && { title: shown.title }),
    ...(shown.description !== undefined && { description: shown.description }),
    kind: served instanceof Environment ? "environment" : "server",
    base,
    doors: doorsOf(served, server.mode, isRoot).map((door) => ({ ...door, path: `${base}${door.path}` })),
    tools: server.catalog.tools.size,
    resources: server.catalog.resources.size,
    prompts: server.catalog.prompts.size,
    ...(served instanceof Environment && {
      episodes: { open: served.episodes.size, most: served.episodes.most },
    }),
    ...(shown.config !== undefined && { config: shown.config }),
  };
}

function doorsOf(served: Served, mode: Mode, isRoot: boolean): readonly ShownDoor[] {
  return [
    ...dataDoors,
    ...(served instanceof Environment && mode === "simulation" ? trainerDoors : []),
    ...(isRoot ? houseDoors : []),
  ];
}

const dataDoors: readonly ShownDoor[] = [
  { plane: "data", path: "/mcp", what: "MCP of both eras, over HTTP and WebSocket" },
  { plane: "data", path: "/mcp/execute", what: "a call as one POST" },
  { plane: "data", path: "/mcp/capabilities", what: "what can be called" },
];

const trainerDoors: readonly ShownDoor[] = [
  { plane: "data", path: "/e/{episode}/mcp", what: "MCP, bound to one episode" },
  { plane: "trainer", path: "/ws", what: "OpenEnv over a socket" },
  { plane: "trainer", path: "/reset", what: "OpenEnv over HTTP, with /step and /state" },
  { plane: "trainer", path: "/control/initial_state", what: "Eval Protocol, with /reward and /status" },
  { plane: "trainer", path: "/control/episodes", what: "begin, fork, save and end episodes" },
];

const houseDoors: readonly ShownDoor[] = [
  { plane: "people", path: "/", what: "this page" },
  { plane: "people", path: "/api", what: "what this page is made of" },
  { plane: "watch", path: "/metrics", what: "figures for Prometheus" },
  { plane: "watch", path: "/healthz", what: "whether it runs" },
  { plane: "watch", path: "/readyz", what: "whether it can serve" },
];

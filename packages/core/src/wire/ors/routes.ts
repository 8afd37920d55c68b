import type { HttpMessage } from "../../transport/http-message.ts";

/** Routes of the whole server, with their methods. */
export const orsRootRoutes = {
  health: "GET",
  version: "GET",
  list_environments: "GET",
  create_session: "POST",
  create: "POST",
  ping: "POST",
  delete: "POST",
  delete_session: "POST",
} as const;

/** Routes of an environment: `/{env}/<route>`, or `/<route>` for the first one. */
export const orsEnvironmentRoutes = {
  splits: "GET",
  num_tasks: "POST",
  task: "POST",
  task_range: "POST",
  tasks: "POST",
  tools: "GET",
  task_tools: "GET",
  prompt: "GET",
  messages: "GET",
  call: "POST",
  score_group: "POST",
} as const;

export type OrsRoute = keyof typeof orsRootRoutes | keyof typeof orsEnvironmentRoutes;

export interface OrsPath {
  readonly route: OrsRoute;
  readonly method: string;
  /** The environment that the path names. */
  readonly environment: string | undefined;
}

/**
 * Finds the route of a request: `/ors/…`, or the same path without the prefix. OpenEnv's task API has the same paths
 * below an environment's name. There, `X-Session-ID` tells a client of ORS, which sends it with every such request.
 */
export function findOrsRoute(path: string, { headers }: Pick<HttpMessage, "headers">): OrsPath | undefined {
  const isPrefixed = path.startsWith("/ors/");
  const [first = "", second, ...more] = path.slice(isPrefixed ? "/ors/".length : 1).split("/");
  if (more.length > 0) return undefined;
  if (second === undefined) return routed(first, undefined);
  const isShared = openEnvRoutes.has(second) && !isPrefixed && headers["x-session-id"] === undefined;
  return isShared || !Object.hasOwn(orsEnvironmentRoutes, second) ? undefined : routed(second, first);
}

function routed(route: string, environment: string | undefined): OrsPath | undefined {
  if (!Object.hasOwn(methods, route)) return undefined;
  return { route: route as OrsRoute, method: methods[route as OrsRoute], environment };
}

const methods: Readonly<Record<OrsRoute, string>> = { ...orsRootRoutes, ...orsEnvironmentRoutes };

const openEnvRoutes: ReadonlySet<string> = new Set(["splits", "num_tasks", "task", "task_range", "tasks"]);

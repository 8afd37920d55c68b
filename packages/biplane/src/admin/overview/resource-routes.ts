import { ApiFailure, mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { LiveCall, readResource, serverOf } from "@biplane/core/internal";
import type { JsonObject, Outcome, Scope, ServerCore } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal, Served } from "@biplane/core";
import { checkAppAccess, pageIdentity } from "./app-access.ts";
import { pageAgent } from "../calls/call-agent.ts";
import { resourceOperations } from "./overview-api.ts";
import type { ResourceBody } from "./overview-api.ts";
import { selectedEpisode, findServed } from "./served.ts";

/** `GET /api/resource`: reads a resource for an app or a person. It takes the normal call path. */
export function resourceRoutes(served: readonly Served[]): ApiRoutes {
  return routesOf(resourceOperations, {
    "GET /api/resource": async ({ by, query: { server: name = served[0]?.name, uri, episode: id, app } }) => {
      const one = findServed(served, name);
      const episode = selectedEpisode(one, id, by);
      const server = serverOf(one);
      const found = mustExist(server.findResource(uri), `${one.name} has no resource ${uri.slice(0, 200)}.`);
      if (app !== undefined) checkAppAccess(server, app, found.resource);
      const outcome = await read(server, { uri, by, scope: episode?.asScope });
      if (outcome.status === "failed") return new ApiFailure(outcome.error);
      if (outcome.status === "suspended")
        throw new BiplaneError("NOT_SUPPORTED", `${uri.slice(0, 200)} asks questions before it can be read.`);
      const contents = outcome.content.flatMap((part) => (part.type === "resource" ? [part.resource] : []));
      // JSON omits what is undefined.
      return { contents: contents.map((each) => asRead(each as Content, uri, server)) };
    },
  });
}

function read(
  server: ServerCore,
  { uri, by, scope }: { uri: string; by: Principal; scope: (() => Scope) | undefined },
): Outcome | Promise<Outcome> {
  const call = new LiveCall({
    tool: readResource,
    input: { uri },
    route: "app",
    agent: pageAgent(),
    principal: by,
    builtIn: server.reader(readResource),
    scope,
    patienceMs: 0,
  });
  return server.perform(call);
}

/** Adds the permissions that the resource declares for all its contents, and our own identity for the page. */
function asRead(content: Content, asked: string, server: ServerCore): Content {
  const identity = asked.startsWith("ui://") ? { uri: pageIdentity(server, asked) } : {};
  if (content._meta) return { ...content, ...identity };
  const meta: JsonObject | undefined = server.findResource(asked)?.resource.meta;
  return { ...content, ...identity, ...(meta && { _meta: server.redactor?.value(meta) ?? meta }) };
}

type Content = ResourceBody["contents"][number];

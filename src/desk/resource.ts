import { found, notFound } from "../admin/api/answers.ts";
import { textIn } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import { LiveCall } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError } from "../errors.ts";
import { readResource } from "../server/readers.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import type { JsonObject } from "../tool/schema.ts";
import { mustReach, pageIdentity } from "./app-reach.ts";
import { callFailure } from "./call-failure.ts";
import { pageAgent } from "./call-agent.ts";
import type { ShownResource } from "./contract.ts";
import { episodeIn, serverOf, servedBy } from "./served.ts";
import type { Served } from "./served.ts";

/** `GET /api/resource`: a resource as an app or a reader gets it. Reading is a call like any other. */
export function resourceRoutes(served: readonly Served[]): Routes {
  return {
    "GET /api/resource": {
      scope: "tools",
      run: async ({ by, request: { query } }) => {
        const one = servedBy(served, query.get("server") ?? served[0]?.name);
        const uri = textIn(query.get("uri"), "uri");
        const episode = episodeIn(one, query.get("episode") ?? undefined, by);
        const server = serverOf(one);
        const there = server.findResource(uri);
        if (!there) return notFound(`${one.name} has no resource ${uri.slice(0, 200)}`);
        const page = query.get("app");
        if (page !== null) mustReach(server, page, there.resource);
        const outcome = await read(server, { uri, by, scope: episode?.asScope });
        if (outcome.status === "failed") return callFailure(outcome.error);
        if (outcome.status === "suspended")
          return callFailure(
            new BiplaneError("NOT_SUPPORTED", `${uri.slice(0, 200)} asks questions before it is read`),
          );
        const contents = outcome.content.flatMap((part) => (part.type === "resource" ? [part.resource] : []));
        return found({ contents: contents.map((each) => asRead(each, uri, server)) } satisfies ShownResource);
      },
    },
  };
}

function read(
  server: Server,
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

/** Hosts must know what a page may do; a resource may say so for all that is read from it. Who it is, it does not say. */
function asRead(content: Content, asked: string, server: Server): Content {
  const identity = asked.startsWith("ui://") ? { uri: pageIdentity(server, asked) } : {};
  if (content._meta) return { ...content, ...identity };
  const meta: JsonObject | undefined = server.findResource(asked)?.resource.meta;
  return { ...content, ...identity, ...(meta && { _meta: server.redactor?.value(meta) ?? meta }) };
}

type Content = ShownResource["contents"][number];

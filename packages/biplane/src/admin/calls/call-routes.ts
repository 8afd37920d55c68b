import { BiplaneError } from "@biplane/core";
import type { Principal, Served } from "@biplane/core";
import { serverOf } from "@biplane/core/internal";
import { notFound, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { checkAppAccess } from "../overview/app-access.ts";
import { findServed, selectedEpisode } from "../overview/served.ts";
import { callVia } from "../try-call/call-via.ts";
import type { CallViaRequest } from "../try-call/call-via.ts";
import type { ViaTransports } from "../try-call/transports.ts";
import { callOperations } from "./call-api.ts";
import type { CallRequestBody } from "./call-api.ts";
import type { CallLog } from "./call-log.ts";
import { callDetail, callSummary } from "./call-view.ts";

export interface CallRouteParts {
  readonly served: readonly Served[];
  readonly log: CallLog;
  readonly transports: ViaTransports;
}

/** `/api/calls`: the call log, and calls made by people. */
export function callRoutes({ served, log, transports }: CallRouteParts): ApiRoutes {
  return routesOf(callOperations, {
    "GET /api/calls": ({ query: { after, limit, ...filter } }) => {
      const before = after === undefined ? undefined : positionOf(log, after);
      const { calls, isMore } = log.list(filter, { limit, ...(before !== undefined && { before }) });
      return { calls: calls.map(callSummary), next: isMore ? (calls.at(-1)?.id ?? null) : null };
    },
    "GET /api/calls/:id": ({ parameters: { id } }) => {
      const call = log.find(id);
      return call ? callDetail(call) : notFound("There is no such call. Only the most recent ones are in memory.");
    },
    "POST /api/calls": async ({ by, body }) => ({
      results: await callVia(targetOf(body, served, by), { transports, log }),
    }),
  });
}

function positionOf(log: CallLog, after: string): number {
  const position = log.sequenceOf(after);
  if (position !== undefined) return position;
  throw new BiplaneError("INVALID_INPUT", "after must be the next of an earlier page.");
}

function targetOf(body: CallRequestBody, all: readonly Served[], by: Principal): CallViaRequest {
  const { server, tool: name, input, via, episode: id, app } = body;
  const served = findServed(all, server);
  const tool = serverOf(served).find(name);
  if (!tool)
    throw new BiplaneError("TOOL_NOT_FOUND", `${served.name} has no tool ${JSON.stringify(name.slice(0, 128))}.`);
  if (app !== undefined) checkAppAccess(serverOf(served), app, tool);
  const episode = selectedEpisode(served, id, by);
  return { served, tool, input, via, episode, by, base: served === all[0] ? "" : `/env/${served.name}` };
}

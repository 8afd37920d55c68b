import { BiplaneError } from "@biplane/core";
import type { Principal, Served } from "@biplane/core";
import { serverOf } from "@biplane/core/internal";
import type { AdminParts } from "../admin-parts.ts";
import { isCallId } from "../../store/calls.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { checkAppAccess } from "../overview/app-access.ts";
import { findServed, selectedEpisode } from "../overview/served.ts";
import { callVia } from "../try-call/call-via.ts";
import type { CallViaRequest } from "../try-call/call-via.ts";
import { callOperations } from "./call-api.ts";
import type { CallRequestBody } from "./call-api.ts";
import type { CallLog } from "./call-log.ts";
import { callDetail, callSummary } from "./call-view.ts";
import { statisticsOperations } from "./statistics-api.ts";

/** `/api/calls`: the call log, and calls made by people. */
export function callRoutes(parts: AdminParts): ApiRoutes {
  const { statistics } = parts;
  return {
    ...listRoutes(parts),
    ...(statistics &&
      routesOf(statisticsOperations, { "GET /api/statistics": ({ query: { range } }) => statistics.read(range) })),
  };
}

function listRoutes({ served, log, history, transports }: AdminParts): ApiRoutes {
  return routesOf(callOperations, {
    "GET /api/calls": ({ query: { after, limit, ...filter } }) => {
      if (history) {
        if (after !== undefined && !isCallId(after)) throw wrongCursor();
        return history.list(filter, { after, limit });
      }
      const before = after === undefined ? undefined : positionOf(log, after);
      const { calls, isMore } = log.list(filter, { limit, ...(before !== undefined && { before }) });
      return { calls: calls.map(callSummary), next: isMore ? (calls.at(-1)?.id ?? null) : null };
    },
    "GET /api/calls/:id": async ({ parameters: { id } }) => {
      const call = log.find(id);
      return mustExist(call ? callDetail(call) : await history?.find(id), noCall);
    },
    "POST /api/calls": async ({ by, body }) => ({
      results: await callVia(targetOf(body, served, by), { transports, log }),
    }),
  });
}

const noCall = "There is no such call, or it was deleted. Without a store only the most recent ones are kept.";

function positionOf(log: CallLog, after: string): number {
  const position = log.sequenceOf(after);
  if (position !== undefined) return position;
  throw wrongCursor();
}

function wrongCursor(): BiplaneError {
  return new BiplaneError("INVALID_INPUT", "after must be the next of an earlier page.");
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

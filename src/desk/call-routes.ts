import { found, notFound } from "../admin/api/answers.ts";
import { fieldsOf, pageOf, textIn } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import { mustReach } from "./app-reach.ts";
import { filterIn } from "./call-filter.ts";
import type { CallLog } from "./call-log.ts";
import { openedCall, shownCall } from "./calls.ts";
import type { CallWay } from "./contract.ts";
import { episodeIn, serverOf, servedBy } from "./served.ts";
import type { Served } from "./served.ts";
import { callByWays } from "./ways.ts";
import type { Wish } from "./ways.ts";
import type { Wires } from "./ways/wires.ts";

export interface CallParts {
  readonly served: readonly Served[];
  readonly log: CallLog;
  readonly wires: Wires;
}

/** `/api/calls`: what was called, each call opened, and calls by hand. */
export function callRoutes({ served, log, wires }: CallParts): Routes {
  return {
    "GET /api/calls": {
      scope: "calls",
      run: ({ request }) => {
        const { after, limit } = pageOf(request);
        const before = after === undefined ? undefined : positionIn(log, after);
        const filter = filterIn(request.query);
        const { calls, isMore } = log.list(filter, { limit, ...(before !== undefined && { before }) });
        return found({ calls: calls.map(shownCall), next: isMore ? (calls.at(-1)?.id ?? null) : null });
      },
    },
    "GET /api/calls/:id": {
      scope: "calls",
      run: ({ parameters: { id = "" } }) => {
        const call = log.find(id);
        return call ? found(openedCall(call)) : notFound("There is no such call; only the last ones are kept");
      },
    },
    "POST /api/calls": {
      scope: "tools",
      run: async ({ by, request: { body } }) =>
        found({ answers: await callByWays(wishIn(body, served, by), { wires, log }) }),
    },
  };
}

function positionIn(log: CallLog, after: string): number {
  const position = log.sequenceOf(after);
  if (position !== undefined) return position;
  throw new BiplaneError("INVALID_INPUT", "after must be the next of an earlier page");
}

function wishIn(body: unknown, all: readonly Served[], by: Principal): Wish {
  const fields = fieldsOf(body, ["server", "tool", "input", "ways", "episode", "app"]);
  const served = servedBy(all, fields.server);
  const name = textIn(fields.tool, "tool");
  const tool = serverOf(served).find(name);
  if (!tool)
    throw new BiplaneError("TOOL_NOT_FOUND", `${served.name} has no tool ${JSON.stringify(name.slice(0, 128))}`);
  if (fields.app !== undefined) mustReach(serverOf(served), textIn(fields.app, "app"), tool);
  const named = fields.episode === undefined ? undefined : textIn(fields.episode, "episode");
  const episode = episodeIn(served, named, by);
  const base = served === all[0] ? "" : `/env/${served.name}`;
  return { served, tool, input: inputIn(fields.input), ways: waysIn(fields.ways), episode, by, base };
}

function inputIn(input: unknown = {}): Readonly<Record<string, unknown>> {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  throw new BiplaneError("INVALID_INPUT", "input must be a JSON object");
}

function waysIn(ways: unknown): readonly CallWay[] {
  const isList = Array.isArray(ways) && ways.length > 0 && new Set(ways).size === ways.length;
  if (isList && ways.every((way) => Object.hasOwn(known, String(way)))) return ways as CallWay[];
  throw new BiplaneError("INVALID_INPUT", `ways must be a list of different ones of ${Object.keys(known).join(", ")}`);
}

const known: Record<CallWay, true> = {
  "mcp-2026-07-28": true,
  "mcp-2025-11-25": true,
  execute: true,
  step: true,
  code: true,
  app: true,
};

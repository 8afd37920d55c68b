import type { Operations } from "./operation.ts";
import { routes } from "../../call/rules/conditions.ts";
import { outcomes } from "../outcomes.ts";
import { about, list, object, oneOf, orNull, pageOf, ref, text, whole } from "./schema.ts";

const callFilter = {
  server: text,
  tool: about("A part of its name, like the next two", text),
  agent: text,
  principal: text,
  route: oneOf(...routes),
  outcome: about("`failed` is whatever is not done", oneOf("failed", ...outcomes)),
  episode: text,
};

const changed = object({ changed: about("Ids; empty where there were too many to name", list(text)) });

/** What is served, and the calls that are made. */
export const houseOperations: Operations = {
  "GET /api/openapi.json": { summary: "this description, as OpenAPI 3.1", answer: { type: "object" } },
  "GET /api/overview": { summary: "what is served here and how it does", answer: ref("Overview") },
  "GET /api/tools": {
    summary: "the tools of everything that is served",
    query: { server: text, query: about("Words of the name, title or description", text) },
    isPaged: true,
    answer: pageOf("tools", ref("ShownTool")),
  },
  "GET /api/resource": {
    summary: "a resource, as an app or a reader gets it; in an episode, with `episodes`",
    query: { server: text, uri: text, episode: text, app: about("The page that asks, where one does", text) },
    mustSay: ["uri"],
    answer: ref("ShownResource"),
    errors: {
      404: "There is no such resource",
      409: "A person must approve it first, or the episode is over",
      429: "Too often",
      501: "It cannot be read here",
      502: "It could not be read",
      503: "There is no room",
      504: "It took too long",
    },
  },
  "GET /api/calls": {
    summary: "the calls that were made, the newest first",
    query: callFilter,
    isPaged: true,
    answer: pageOf("calls", ref("ShownCall")),
  },
  "GET /api/calls/:id": {
    summary: "a call, opened: input, decisions, timing and result; what is long is cut",
    answer: ref("OpenedCall"),
  },
  "POST /api/calls": {
    summary: "call a tool, once by each of the ways; in an episode, with `episodes`",
    body: ref("CallWish"),
    answer: object({ answers: list(ref("WayAnswer")) }),
    errors: { 404: "There is no such tool", 501: "One of the ways does not lead there", 503: "There is no room" },
  },
  "GET /api/events": {
    summary: "what happens, as server-sent events named by topic",
    query: {
      topics: about(
        "Some of `figures`, `calls`, `approvals`, `episodes`, `runs`, `module`, with commas; left out, all",
        text,
      ),
      ...callFilter,
    },
    events: {
      figures: ref("Figures"),
      calls: object({ calls: list(ref("ShownCall")), skipped: about("Left out, where there were too many", whole) }),
      approvals: object({ waiting: whole }),
      episodes: changed,
      runs: changed,
      module: object({ version: whole, problem: orNull(text) }),
    },
    errors: { 503: "Too many streams are open" },
  },
};

import { paginate } from "../http/input.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import type { Redactor } from "@biplane/core/internal";
import { Environment, serverOf } from "@biplane/core/internal";
import type { Tool, Served } from "@biplane/core";
import { toolOperations } from "./overview-api.ts";
import type { ToolSummary } from "./overview-api.ts";
import { findServed } from "./served.ts";

/** `GET /api/tools`: the tools of all servers, by name. */
export function toolRoutes(served: readonly Served[]): ApiRoutes {
  return routesOf(toolOperations, {
    "GET /api/tools": ({ query }) => {
      const chosen = query.server === undefined ? served : [findServed(served, query.server)];
      const terms = (query.query ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20);
      const fitting = chosen
        .flatMap((each) => Array.from(serverOf(each).tools, (tool) => ({ served: each, tool })))
        .filter(({ served: each, tool }) => isAbout(tool, terms, serverOf(each).redactor));
      const { page, next } = paginate(fitting, keyOf, query);
      return { tools: page.map((each) => toolSummary(each.served, each.tool)), next };
    },
  });
}

/** A tool for the page. Redacted, because a mounted server's texts may contain secrets. */
export function toolSummary(served: Served, tool: Tool): ToolSummary {
  const { name, title, description, input, output, annotations, timeoutMs, idempotent, interactive, task, ui } = tool;
  const shown: ToolSummary = {
    server: served.name,
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    input: input.json,
    ...(output && { output: output.json }),
    annotations,
    timeoutMs,
    idempotent,
    interactive,
    ...(task && { task }),
    needsEpisode: served instanceof Environment,
    ...(ui?.uri !== undefined && { app: { uri: ui.uri, visibility: ui.visibility } }),
  };
  return serverOf(served).redactor?.value(shown) ?? shown;
}

/** Sorted by server, then by name. */
function keyOf({ served, tool }: { served: Served; tool: Tool }): string {
  return `${served.name}/${tool.name}`;
}

/** True if every search term occurs in the tool's redacted texts. Searching the originals would reveal secrets. */
function isAbout(tool: Tool, terms: readonly string[], redactor: Redactor | undefined): boolean {
  if (terms.length === 0) return true;
  const { name, title = "", description = "" } = tool;
  const described = `${name} ${title} ${description}`;
  const text = (redactor?.text(described) ?? described).toLowerCase();
  return terms.every((term) => text.includes(term));
}

import { found } from "../admin/api/answers.ts";
import { oneOf, pageFrom, pageOf } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import { Environment } from "../environment/environment.ts";
import type { Tool } from "../tool/tool.ts";
import type { ShownTool } from "./contract.ts";
import { serverOf } from "./served.ts";
import type { Served } from "./served.ts";

/** `GET /api/tools`: every tool of everything that is served, by name. */
export function toolRoutes(served: readonly Served[]): Routes {
  return {
    "GET /api/tools": {
      scope: "tools",
      run: ({ request }) => {
        const { query } = request;
        const only = oneOf(
          query,
          "server",
          served.map(({ name }) => name),
        );
        const words = (query.get("query") ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20);
        const fitting = served
          .filter(({ name }) => only === undefined || name === only)
          .flatMap((each) => Array.from(serverOf(each).tools, (tool) => ({ served: each, tool })))
          .filter(({ served: each, tool }) => isAbout(tool, words, serverOf(each).redactor));
        const { page, next } = pageFrom(fitting, keyOf, pageOf(request));
        return found({ tools: page.map((each) => shownTool(each.served, each.tool)), next });
      },
    },
  };
}

/** A tool as the page shows it. What a mounted server says of its own may hold what it was trusted with. */
export function shownTool(served: Served, tool: Tool): ShownTool {
  const { name, title, description, input, output, annotations, timeoutMs, idempotent, interactive, task, ui } = tool;
  const shown: ShownTool = {
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

/** Pages go by server, then by name. */
function keyOf({ served, tool }: { served: Served; tool: Tool }): string {
  return `${served.name}/${tool.name}`;
}

/** Every word is somewhere in what the tool says of itself, as it is shown: else secrets could be guessed by searching. */
function isAbout(tool: Tool, words: readonly string[], redactor: Redactor | undefined): boolean {
  if (words.length === 0) return true;
  const { name, title = "", description = "" } = tool;
  const said = `${name} ${title} ${description}`;
  const text = (redactor?.text(said) ?? said).toLowerCase();
  return words.every((word) => text.includes(word));
}

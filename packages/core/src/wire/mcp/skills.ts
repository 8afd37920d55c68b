import { decodeUri } from "../../decode-uri.ts";
import { showValue } from "../../call/rules/show-value.ts";
import type { Skill } from "../../server/skill.ts";
import type { Params } from "../../protocol/rpc.ts";
import { invalidParams } from "./call-tool.ts";
import type { Endpoint, Method } from "./endpoint.ts";
import type { Exchange, McpAnswer } from "./exchange.ts";
import { describeSkill } from "./lists.ts";

/** The methods of a server that has skills. */
export const skillMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["skills/list", (endpoint, exchange) => endpoint.lists.page("skills", exchange)],
  ["skills/get", getSkill],
  ["resources/directory/read", readDirectory],
]);

/** `skills/get`: one skill, by the URI of its `SKILL.md`. */
function getSkill(endpoint: Endpoint, { era, params }: Exchange): McpAnswer {
  const { uri } = params;
  const skill = typeof uri === "string" ? endpoint.server.catalog.skills.get(uri) : undefined;
  if (!skill) return invalidParams(`there is no skill ${showValue(uri)}. skills/list names all of them`);
  return answer(endpoint, era, { skill: describeSkill(skill), ...endpoint.lists.cacheHints(era) });
}

/** `resources/directory/read`: the files and folders in a folder of skills. */
function readDirectory(endpoint: Endpoint, { era, params }: Exchange): McpAnswer {
  const { uri, cursor } = params;
  if (cursor !== undefined) return invalidParams("unknown cursor");
  const resources = typeof uri === "string" ? childrenOf(uri, endpoint.server.skills) : [];
  if (resources.length === 0) return invalidParams(`${showValue(uri)} is not a folder of a skill`);
  return answer(endpoint, era, { resources });
}

function answer({ server, encoder }: Endpoint, era: Exchange["era"], result: Params): McpAnswer {
  return { result: encoder.result(era, server.redactor?.value(result) ?? result) };
}

function childrenOf(folder: string, skills: Iterable<Skill>): Params[] {
  const children = new Map<string, Params>();
  for (const { resources } of skills) {
    if (resources === "dynamic") continue;
    for (const { uri, size } of resources) {
      if (!uri.startsWith(`${folder}/`)) continue;
      const [name = "", ...deeper] = uri.slice(folder.length + 1).split("/");
      const child = { uri: `${folder}/${name}`, name: decodeUri(name) ?? name };
      if (deeper.length > 0) children.set(child.uri, { ...child, mimeType: "inode/directory" });
      else children.set(child.uri, { ...child, size, ...(name === "SKILL.md" && { mimeType: "text/markdown" }) });
    }
  }
  return [...children.values()];
}

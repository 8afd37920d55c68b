import { isRecord, messageOf } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import { parseYaml } from "../bounds/parse-yaml.ts";

/** A parsed `SKILL.md`, or why it could not be parsed. */
export type SkillText =
  | { readonly frontmatter: JsonObject; readonly instructions: string; readonly fault?: undefined }
  | { readonly fault: string };

/** Splits a `SKILL.md` into its YAML front matter and its instructions. */
export function readSkillText(text: string): SkillText {
  const found = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, maxFrontmatter));
  if (!found) return { fault: "it does not start with front matter between two lines ---" };
  const parsed = parseYaml(found[1] ?? "", { maxLength: maxFrontmatter, maxDepth: 20, maxTokens: 20_000 });
  if (parsed.fault !== undefined) return { fault: `its front matter ${parsed.fault}` };
  const [document] = parsed.documents;
  if (!document || document.errors.length > 0)
    return { fault: `its front matter is not YAML: ${document?.errors[0]?.message.split("\n")[0] ?? "it is empty"}` };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 }); // Aliases could repeat a value many times, and front matter needs none.
  } catch (error) {
    return { fault: `its front matter cannot be used: ${messageOf(error)}` };
  }
  if (!isRecord(value)) return { fault: "its front matter is not a map of names and values" };
  return { frontmatter: JSON.parse(JSON.stringify(value)) as JsonObject, instructions: text.slice(found[0].length) };
}

const maxFrontmatter = 64 * 1024;

import type { Dirent } from "node:fs";
import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { Skill } from "@biplane/core";
import { invalidSkill, maxSkillBytes, maxSkillFiles, messageOf, skillFromFiles } from "@biplane/core/internal";
import { readSkillText } from "./frontmatter.ts";

/**
 * Reads the skills in a folder: every folder below it that has a `SKILL.md`. The path below `folder` is the skill's
 * path in its URI. If `folder` itself has a `SKILL.md`, it is one skill. Hidden files and symbolic links are left out.
 */
export async function loadSkills(folder: string): Promise<Skill[]> {
  const entries = await entriesOf(folder);
  if (entries.some(isSkillText)) return [await loadSkill(folder, undefined)];
  const skills: Skill[] = [];
  await search(folder, "", skills);
  if (skills.length === 0)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${folder} has no skills. A skill is a folder with a file SKILL.md, such as ${join(folder, "pdf-forms", "SKILL.md")}.`,
    );
  return skills;
}

/** The search ends at a skill: a skill inside of another belongs to its files. */
async function search(root: string, path: string, skills: Skill[]): Promise<void> {
  const entries = await entriesOf(join(root, path));
  if (path !== "" && entries.some(isSkillText)) {
    if (skills.length >= maxSkills) throw invalidSkill(path, `There are more than ${maxSkills} skills.`);
    skills.push(await loadSkill(join(root, path), path));
    return;
  }
  if (path.split("/").length > maxDepth) return;
  for (const entry of entries) {
    if (entry.isDirectory()) await search(root, path === "" ? entry.name : `${path}/${entry.name}`, skills);
  }
}

async function loadSkill(folder: string, path: string | undefined): Promise<Skill> {
  const files = new Map<string, Buffer>();
  await readFiles(folder, "", files);
  const text = readSkillText(files.get("SKILL.md")?.toString() ?? "");
  if (text.fault !== undefined) throw invalidSkill(path ?? folder, `SKILL.md cannot be read: ${text.fault}.`);
  const { frontmatter } = text;
  return skillFromFiles(path ?? String(frontmatter["name"]), frontmatter, files);
}

async function readFiles(folder: string, path: string, files: Map<string, Buffer>): Promise<void> {
  for (const entry of await entriesOf(join(folder, path))) {
    const name = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await readFiles(folder, name, files);
    if (!entry.isFile()) continue;
    if (files.size >= maxSkillFiles) throw invalidSkill(folder, `It has more than ${maxSkillFiles} files.`);
    const { size } = await lstat(join(folder, name));
    const total = Array.from(files.values()).reduce((sum, each) => sum + each.length, size);
    if (total > maxSkillBytes) throw invalidSkill(folder, `It has more than ${maxSkillBytes} bytes.`);
    files.set(name, await readFile(join(folder, name)));
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `The skills in ${folder} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isSkillText(entry: Dirent): boolean {
  return entry.name === "SKILL.md" && entry.isFile();
}

const maxSkills = 1000;
const maxDepth = 8;

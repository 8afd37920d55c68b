import { isRecord } from "../../is-record.ts";
import { folderOf, maxSkillFiles, skillFolder } from "../../server/skill.ts";
import type { Skill, SkillFile } from "../../server/skill.ts";
import type { SkillInfo } from "../results.ts";
import type { RemoteReadOptions } from "./remote-reads.ts";

/** Converts another server's skill. Undefined if it is malformed. Its digests are for the client to check. */
export function remoteSkill(info: SkillInfo, { client, send }: RemoteReadOptions): Skill | undefined {
  const { uri, frontmatter } = info;
  const resources = skillFiles(info);
  if (!resources || !isRecord(frontmatter)) return undefined;
  const folder = folderOf(uri);
  const known = resources === "dynamic" ? undefined : new Set(resources.map((file) => file.uri));
  return Object.freeze({
    uri,
    frontmatter,
    resources,
    folder: skillFolder(folder, {
      name: String(frontmatter["name"]),
      has: (wanted) => known?.has(wanted) ?? wanted.startsWith(`${folder}/`),
      read: async (wanted, call) => {
        const { contents } = await send(() => client.readResource(wanted, { signal: call.signal }));
        return contents as never;
      },
    }),
  });
}

/** The files of a listed skill. Undefined unless they are well formed, inside of its folder, and contain `SKILL.md`. */
export function skillFiles({ uri, resources }: SkillInfo): readonly SkillFile[] | "dynamic" | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/.+\/SKILL\.md$/i.test(uri) || uri.length > 2048) return undefined;
  if (resources === "dynamic") return "dynamic";
  if (!Array.isArray(resources) || resources.length > maxSkillFiles) return undefined;
  const files = resources.filter((file) => isSkillFile(file, folderOf(uri)));
  const hasSkill = files.some((file) => file.uri === uri);
  return hasSkill && new Set(files.map((file) => file.uri)).size === resources.length ? files : undefined;
}

function isSkillFile(value: unknown, folder: string): value is SkillFile {
  if (!isRecord(value)) return false;
  const { uri, digest, size } = value;
  return (
    typeof uri === "string" &&
    uri.startsWith(`${folder}/`) &&
    typeof digest === "string" &&
    /^sha256:[\da-f]{64}$/.test(digest) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0
  );
}

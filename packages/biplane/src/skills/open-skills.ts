import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { BiplaneError } from "@biplane/core";
import type { SkillFile } from "@biplane/core";
import type { Client, SkillInfo } from "@biplane/core/client";
import { digestOf, isRecord, maxSkillBytes, skillFiles } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import { readSkillText } from "./frontmatter.ts";

/** A skill that a server offers. Its files are read only when you load it. */
export interface OfferedSkill {
  /** Your name for the server. Skills of two servers may have the same URI. */
  readonly origin: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly frontmatter: JsonObject;
  /** Undefined if the server does not enumerate them: such a skill cannot be verified, and is not loaded. */
  readonly files: readonly SkillFile[] | undefined;
  /** Identifies exactly these files. Bind a person's approval of the skill to it. */
  readonly fingerprint: string;
}

/** A skill whose `SKILL.md` is verified. `allowed-tools` in it is a request of the server, and grants nothing. */
export interface LoadedSkill extends OfferedSkill {
  readonly instructions: string;
  /** Reads one of its files and verifies it. */
  read(uri: string): Promise<Uint8Array>;
}

export interface SkillHost {
  list(): Promise<OfferedSkill[]>;
  /** Reads and verifies `SKILL.md`. Throws if the server changed the skill since it was listed. */
  load(skill: OfferedSkill): Promise<LoadedSkill>;
}

/** The skills of a connected server. `origin` is your name for that server. */
export function openSkills(client: Client, { origin }: { readonly origin: string }): SkillHost {
  const read = async (skill: OfferedSkill, uri: string) => {
    const file = skill.files?.find((each) => each.uri === uri);
    if (!file) throw unusable(skill, `${uri} is not one of its files`);
    const { contents } = await client.readResource(uri);
    const [content] = contents;
    const bytes = Buffer.from(content?.blob ?? content?.text ?? "", content?.blob === undefined ? "utf8" : "base64");
    if (bytes.length !== file.size)
      throw unusable(skill, `${uri} has ${bytes.length} bytes, and the server listed ${file.size}`);
    if (digestOf(bytes) !== file.digest) throw unusable(skill, `${uri} is not the file that the server listed`);
    return bytes;
  };
  const verify = async (skill: OfferedSkill): Promise<LoadedSkill> => {
    if (!skill.files) throw unusable(skill, "the server does not list its files");
    const text = readSkillText((await read(skill, skill.uri)).toString());
    if (text.fault !== undefined) throw unusable(skill, text.fault);
    if (!isDeepStrictEqual(text.frontmatter, skill.frontmatter))
      throw unusable(skill, "the front matter of SKILL.md is not the one that the server listed");
    return { ...skill, instructions: text.instructions, read: (uri) => read(skill, uri) };
  };
  return {
    list: async () => (await client.listSkills()).flatMap((info) => offered(info, origin) ?? []),
    load: async (skill) => {
      try {
        return await verify(skill);
      } catch (error) {
        if (!skill.files || !isMismatch(error)) throw error;
        const { skill: info } = await client.request("skills/get", { uri: skill.uri });
        const fresh = isRecord(info) && info["uri"] === skill.uri ? offered(info as SkillInfo, origin) : undefined;
        if (!fresh || fresh.fingerprint === skill.fingerprint) throw error;
        // Nobody has approved the new files.
        throw unusable(skill, "the server changed it. List the skills again, and check the new fingerprint");
      }
    },
  };
}

/** Undefined for malformed skills, and for those that are larger than the protocol allows. */
function offered(info: SkillInfo, origin: string): OfferedSkill | undefined {
  const files = skillFiles(info);
  const { uri, frontmatter } = info;
  if (!files || !isRecord(frontmatter)) return undefined;
  const { name, description } = frontmatter;
  if (typeof name !== "string" || typeof description !== "string") return undefined;
  if (files === "dynamic") return { ...shown(), files: undefined, fingerprint: `dynamic ${uri}` };
  if (files.reduce((sum, { size }) => sum + size, 0) > maxSkillBytes) return undefined;
  // As JSON, because a URI may contain line breaks.
  const lines = files.map((file) => JSON.stringify([file.uri, file.digest])).sort();
  return { ...shown(), files, fingerprint: `sha256:${hash("sha256", JSON.stringify(lines))}` };

  function shown() {
    return {
      origin,
      uri,
      name: String(name),
      description: String(description),
      frontmatter: frontmatter as JsonObject,
    };
  }
}

function unusable({ origin, uri }: OfferedSkill, why: string): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `The skill ${uri} of ${origin} was not loaded: ${why}.`, {
    details: { skill: uri },
  });
}

function isMismatch(error: unknown): boolean {
  return error instanceof BiplaneError && error.details?.["skill"] !== undefined;
}

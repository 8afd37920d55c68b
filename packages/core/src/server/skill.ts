import { hash } from "node:crypto";
import { decodeText } from "../bounds/decode-text.ts";
import { BiplaneError } from "../errors.ts";
import { checkOptions } from "../tool/check-options.ts";
import type { OptionNames } from "../tool/check-options.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { Resource } from "./resource.ts";

/** Instructions in `SKILL.md`, with further files, that a client loads when its model needs them (SEP-2640). */
export interface Skill {
  /** The URI of its `SKILL.md`, such as `skill://pdf-processing/SKILL.md`. */
  readonly uri: string;
  /** The front matter of `SKILL.md`, every field. */
  readonly frontmatter: JsonObject;
  /** Every file, or `dynamic` if its server does not enumerate them. */
  readonly resources: readonly SkillFile[] | "dynamic";
  /** Reads its files. It is not listed. */
  readonly folder: Resource;
}

export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits, of the raw bytes. */
  readonly digest: string;
  readonly size: number;
}

export interface SkillOptions {
  /** 1 to 64 lowercase letters, digits and single hyphens. */
  readonly name: string;
  /** What it does, and when a model should use it. Up to 1024 characters. */
  readonly description: string;
  /** The body of `SKILL.md`, in Markdown. */
  readonly instructions: string;
  readonly license?: string;
  /** What the skill needs. Up to 500 characters. */
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further files by path, such as `references/FORMS.md`. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Folders before the name in its URI, such as `acme/billing`. */
  readonly prefix?: string;
}

/** Defines a skill. `loadSkills` of `biplane/skills` reads skills from folders instead. */
export function skill(options: SkillOptions): Skill {
  checkOptions(`Skill ${JSON.stringify(options.name)}`, options, skillOptionNames);
  const { name, description, instructions, license, compatibility, metadata, files = {}, prefix } = options;
  const given = { name, description, license, compatibility, metadata };
  const frontmatter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.hasOwn(files, "SKILL.md"))
    throw invalidSkill(name, "SKILL.md is made from the instructions. Remove it from files.");
  // JSON is YAML.
  const lines = Object.entries(frontmatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const text = `---\n${lines.join("\n")}\n---\n\n${instructions}\n`;
  const path = prefix === undefined ? name : `${prefix}/${name}`;
  return skillFromFiles(path, frontmatter, new Map(Object.entries({ "SKILL.md": text, ...files })));
}

/** A skill with these files, one of which is `SKILL.md` with this front matter. The last part of `path` is its name. */
export function skillFromFiles(
  path: string,
  frontmatter: JsonObject,
  files: ReadonlyMap<string, string | Uint8Array>,
): Skill {
  checkFrontmatter(path, frontmatter);
  const folder = `skill://${path.split("/").map(encodeURIComponent).join("/")}`;
  const contents = new Map<string, Buffer>();
  for (const [name, content] of files) contents.set(uriIn(folder, name, path), Buffer.from(content));
  const resources = Array.from(contents, ([uri, bytes]) => ({ uri, digest: digestOf(bytes), size: bytes.length }));
  const size = resources.reduce((sum, file) => sum + file.size, 0);
  if (resources.length > maxSkillFiles)
    throw invalidSkill(path, `It has ${resources.length} files, and ${maxSkillFiles} are allowed.`);
  if (size > maxSkillBytes) throw invalidSkill(path, `It has ${size} bytes, and ${maxSkillBytes} are allowed.`);
  const read = (uri: string) => contentOf(uri, contents.get(uri) ?? Buffer.of());
  const reader = skillFolder(folder, { name: path, has: (uri) => contents.has(uri), read });
  return Object.freeze({ uri: `${folder}/SKILL.md`, frontmatter, resources, folder: reader });
}

/** The resource that reads the files of a skill. */
export function skillFolder(
  uri: string,
  { name, has, read }: { name: string; has: (uri: string) => boolean; read: (...given: ReadArguments) => Read },
): Resource {
  const template = {
    text: `${uri}/{+file}`,
    variables: ["file"],
    match: (wanted: string) => (has(wanted) ? {} : undefined),
  };
  const about = { title: undefined, description: undefined, mimeType: undefined, size: undefined, icons: undefined };
  return Object.freeze({
    ...about,
    name,
    uri: undefined,
    template,
    meta: undefined,
    complete: {},
    isListed: false,
    read: (_parameters, call, wanted) => read(wanted, call),
  } satisfies Resource);
}

type ReadArguments = [uri: string, call: Parameters<Resource["read"]>[1]];
type Read = ReturnType<Resource["read"]>;

export const maxSkillFiles = 512;
export const maxSkillBytes = 16 * 1024 * 1024;

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}

/** The URI of the folder of a `SKILL.md`. */
export function folderOf(uri: string): string {
  return uri.slice(0, -"/SKILL.md".length);
}

function uriIn(folder: string, file: string, skill: string): string {
  const parts = file.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw invalidSkill(skill, `${JSON.stringify(file)} is not a path inside of it.`);
  return `${folder}/${parts.map(encodeURIComponent).join("/")}`;
}

function checkFrontmatter(path: string, { name, description, compatibility }: JsonObject): void {
  const last = path.split("/").at(-1);
  if (typeof name !== "string" || name.length > 64 || !/^[a-z\d]+(-[a-z\d]+)*$/.test(name))
    throw invalidSkill(path, "Its name must have 1 to 64 lowercase letters, digits and single hyphens.");
  if (name !== last) throw invalidSkill(path, `Its name is ${name}, and its folder ${last}. Make them equal.`);
  if (path.split("/").some((part) => !/^[\w.~-]+$/.test(part) || part === "." || part === ".."))
    throw invalidSkill(path, "The folders before its name may have letters, digits, hyphens, dots and underscores.");
  if (typeof description !== "string" || description === "" || description.length > 1024)
    throw invalidSkill(path, "Its description must have 1 to 1024 characters.");
  if (compatibility !== undefined && (typeof compatibility !== "string" || compatibility.length > 500))
    throw invalidSkill(path, "Its compatibility must have up to 500 characters.");
}

export function invalidSkill(name: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `Skill ${JSON.stringify(name.slice(0, 200))}: ${why}`);
}

function contentOf(uri: string, bytes: Buffer) {
  const text = decodeText(bytes);
  const end = /\.([a-z\d]+)$/i.exec(uri)?.[1]?.toLowerCase() ?? "";
  const known = Object.hasOwn(mediaTypes, end) ? mediaTypes[end] : undefined;
  const mimeType = known ?? (text === undefined ? "application/octet-stream" : "text/plain");
  return text === undefined ? { uri, mimeType, blob: bytes.toString("base64") } : { uri, mimeType, text };
}

const mediaTypes: Readonly<Record<string, string>> = {
  md: "text/markdown",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  csv: "text/csv",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  pdf: "application/pdf",
};

const skillOptionNames: OptionNames<SkillOptions> = {
  name: true,
  description: true,
  instructions: true,
  license: true,
  compatibility: true,
  metadata: true,
  files: true,
  prefix: true,
};

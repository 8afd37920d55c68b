import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { readFolder } from "../shared/files/list-folder.ts";
import { readFile } from "../shared/files/read-file.ts";
import { Root } from "../shared/files/root.ts";
import { parseHeader } from "./header.ts";
import type { ScriptHeader } from "./header.ts";
import { scriptName } from "./options.ts";
import { scriptFrom } from "./script.ts";
import type { Script } from "./script.ts";

/** The folder of scripts. Files are read from disk at every access. */
export class ScriptLibrary {
  readonly #root: Root;
  readonly #maxBytes: number;

  constructor({ root, maxSourceBytes }: { root: string; maxSourceBytes: number }) {
    this.#root = new Root({ path: root, prefix: "/scripts", create: true });
    this.#maxBytes = maxSourceBytes;
  }

  /** Reads a script by name, without extension or path. */
  async read(name: string): Promise<Script> {
    if (!isName.test(name))
      throw new BiplaneError("INVALID_INPUT", `${JSON.stringify(name.slice(0, 100))} is not a valid script name.`);
    const found = await this.file(name);
    if (!found) throw new BiplaneError("INVALID_INPUT", `script '${name}' not found`);
    return scriptFrom(name, found.bytes);
  }

  /** The file, valid script or not. Undefined if it does not exist. */
  async file(name: string): Promise<{ bytes: Uint8Array; changedAt: Date } | undefined> {
    if (!isName.test(name) || name.length > maxNameLength) return undefined;
    await using location = await this.#root.find([`${name}.star`], { keepLastLink: true });
    if (!location.stats) return undefined;
    return { bytes: await readFile(location, this.#maxBytes), changedAt: location.stats.mtime };
  }

  /** All scripts, with the problem of those that cannot be read. */
  async list(): Promise<readonly ListedScript[]> {
    const listed: ListedScript[] = [];
    for (const name of await this.names()) {
      try {
        listed.push({ name, script: await this.read(name) });
      } catch (error) {
        listed.push({ name, problem: messageOf(error) });
      }
    }
    return listed;
  }

  async names(): Promise<readonly string[]> {
    await using folder = await this.#root.open();
    const { entries } = await readFolder(this.#root, folder, maxFiles);
    return entries
      .filter(({ name, type }) => type !== "folder" && name.endsWith(".star"))
      .map(({ name }) => name.slice(0, -".star".length))
      .filter((name) => isName.test(name));
  }

  /** Reads the header of a script tool while the pack is created. */
  headerOf(name: string): ScriptHeader {
    const file = `${name}.star`;
    try {
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const descriptor = openSync(join(this.#root.realPath, file), flags);
      try {
        const stats = fstatSync(descriptor);
        if (!stats.isFile() || stats.size > this.#maxBytes) throw new Error("it is not a regular file, or too large");
        return parseHeader(readFileSync(descriptor, "utf8"), file);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      throw new BiplaneError("INVALID_DEFINITION", `${file} cannot be a tool: ${messageOf(error)}`);
    }
  }
}

export type ListedScript =
  | { readonly name: string; readonly script: Script; readonly problem?: undefined }
  | { readonly name: string; readonly script?: undefined; readonly problem: string };

const isName = new RegExp(scriptName);
const maxFiles = 2000;
const maxNameLength = 250; // file systems allow 255 bytes, including the extension

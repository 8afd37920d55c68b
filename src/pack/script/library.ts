import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BiplaneError, messageOf } from "../../errors.ts";
import { entriesOf } from "../files/list-folder.ts";
import { readFile } from "../files/read-file.ts";
import { Root } from "../files/root.ts";
import { parseHeader } from "./header.ts";
import type { Header } from "./header.ts";
import { scriptName } from "./options.ts";
import { scriptFrom } from "./script.ts";
import type { Script } from "./script.ts";

/** The folder of scripts. Nothing of it is remembered: every reading is of the disk, and is whole. */
export class Library {
  readonly #root: Root;
  readonly #maxBytes: number;

  constructor({ root, maxSourceBytes }: { root: string; maxSourceBytes: number }) {
    this.#root = new Root({ path: root, prefix: "/scripts", create: true });
    this.#maxBytes = maxSourceBytes;
  }

  /** The script as it is now. One name means one file: with a suffix or a path it is no name. */
  async read(name: string): Promise<Script> {
    if (!isName.test(name)) throw new BiplaneError("INVALID_INPUT", `${JSON.stringify(name)} is no name of a script`);
    const bytes = await this.bytes(name);
    if (!bytes) throw new BiplaneError("INVALID_INPUT", `script '${name}' not found`);
    return scriptFrom(name, bytes);
  }

  /** What the file holds, also where that is no script; undefined where there is no such file. */
  async bytes(name: string): Promise<Uint8Array | undefined> {
    if (!isName.test(name) || name.length > longestName) return undefined;
    await using place = await this.#root.find([`${name}.star`], { keepLastLink: true });
    return place.stats && (await readFile(place, this.#maxBytes));
  }

  /** Every script, and why those that cannot be read cannot. */
  async list(): Promise<readonly Listed[]> {
    const listed: Listed[] = [];
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
    const { entries } = await entriesOf(this.#root, folder, mostFiles);
    return entries
      .filter(({ name, type }) => type !== "folder" && name.endsWith(".star"))
      .map(({ name }) => name.slice(0, -".star".length))
      .filter((name) => isName.test(name));
  }

  /** The header of a script that is to be a tool, while the pack is being made. It decides nothing about running. */
  headerOf(name: string): Header {
    const file = `${name}.star`;
    try {
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const descriptor = openSync(join(this.#root.realPath, file), flags);
      try {
        const stats = fstatSync(descriptor);
        if (!stats.isFile() || stats.size > this.#maxBytes) throw new Error("it is no plain file, or too large");
        return parseHeader(readFileSync(descriptor, "utf8"), file);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      throw new BiplaneError("INVALID_DEFINITION", `${file} cannot be offered as a tool: ${messageOf(error)}`);
    }
  }
}

export type Listed =
  | { readonly name: string; readonly script: Script; readonly problem?: undefined }
  | { readonly name: string; readonly script?: undefined; readonly problem: string };

const isName = new RegExp(scriptName);
const mostFiles = 2000;
const longestName = 250; // with its suffix, what file systems take

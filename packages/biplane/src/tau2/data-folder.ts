import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { parse as parseToml } from "smol-toml";

/** The folder with the published data: a checkout of tau2-bench, its `data/tau2`, or an unpacked `inspect-evals`. */
export class DataFolder {
  readonly #folder: string;
  readonly #domain: string;

  constructor(folder: string, domain: string) {
    this.#folder = folder;
    this.#domain = domain;
  }

  /** Whether the domain has this file. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** A text of the domain. */
  text(name: string): string {
    const file = this.#find(name);
    if (file !== undefined) return readText(file);
    throw new BiplaneError(
      "NOT_FOUND",
      `${this.#folder} has no ${join(this.#domain, name)}. Pass the folder data/tau2 of a tau2-bench checkout with --data.`,
    );
  }

  /** JSON of the domain. Objects with keys that look like numbers become `Map`s, which keep the order of the file. */
  json(name: string): unknown {
    return this.#parse(name, readOrderedJson);
  }

  toml(name: string): unknown {
    return this.#parse(name, parseToml);
  }

  /** A text that all domains share, or an empty one. */
  shared(name: string): string {
    const file = this.#firstOf(roots.map((root) => join(root, "user_simulator", name)));
    return file === undefined ? "" : readText(file);
  }

  #parse(name: string, parse: (text: string) => unknown): unknown {
    const text = this.text(name);
    try {
      return parse(text);
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `${join(this.#folder, this.#domain, name)}: ${messageOf(error)}`);
    }
  }

  #find(name: string): string | undefined {
    return this.#firstOf(
      roots.flatMap((root) => [join(root, this.#domain, name), join(root, "domains", this.#domain, name)]),
    );
  }

  #firstOf(names: readonly string[]): string | undefined {
    return names
      .flatMap((name) => [name, `${name}.gz`, name.replace(/\.md$/, ".txt")])
      .map((name) => join(this.#folder, name))
      .find((path) => existsSync(path));
  }
}

/** Where the data is in a data folder, beside one, in a checkout of tau2-bench, and in the wheel of inspect-evals. */
const roots = ["", "tau2", join("data", "tau2"), join("inspect_evals", "tau2", "data")];

function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes).toString("utf8");
}

const maxBytes = 256 * 1024 * 1024;

/** JavaScript moves keys that look like numbers to the front, so they are marked while they are parsed. */
export function readOrderedJson(text: string): unknown {
  const marked = text.replaceAll(/"(\d+)"(?=\s*:)/g, `"${mark}$1"`);
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value);
    if (!entries.some(([key]) => key.startsWith(mark))) return value as unknown;
    return new Map(entries.map(([key, each]) => [key.replace(mark, ""), each as unknown]));
  }) as unknown;
}

const mark = "\uE000";

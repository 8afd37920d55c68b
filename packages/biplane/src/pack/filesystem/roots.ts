import { posix, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";
import { Root } from "../shared/files/root.ts";
import type { FindOptions, FileLocation, RootOptions } from "../shared/files/root.ts";

/** Several root folders. A path belongs to the innermost root that contains it. */
export class Roots {
  readonly #roots: readonly { readonly root: Root; readonly given: string }[];

  constructor(paths: readonly string[], options: Omit<RootOptions, "path" | "prefix">) {
    if (paths.length === 0)
      throw new BiplaneError("INVALID_DEFINITION", "The filesystem pack needs at least one folder in roots.");
    this.#roots = paths.map((path) => ({ root: new Root({ ...options, path }), given: resolve(path) }));
  }

  get paths(): readonly string[] {
    return this.#roots.map(({ root }) => root.realPath);
  }

  find(path: string, options?: FindOptions): Promise<FileLocation> {
    const { root, names } = this.locate(path);
    return root.find(names, options);
  }

  /** Relative paths and `~` start at the first root. */
  locate(given: string): { root: Root; names: readonly string[] } {
    const [first] = this.#roots;
    if (!first) throw this.#outside(given);
    if (given === "~" || given.startsWith("~/")) return { root: first.root, names: first.root.parse(given.slice(2)) };
    if (!given.startsWith("/")) return { root: first.root, names: first.root.parse(given) };
    const path = posix.normalize(given.replace(/^\/{2,}/, "/"));
    const candidates = this.#roots.flatMap(({ root, given: named }) => [
      { root, prefix: root.realPath },
      { root, prefix: named },
    ]);
    const [nearest] = candidates
      .filter(({ prefix }) => path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`))
      .sort((one, other) => other.prefix.length - one.prefix.length);
    if (!nearest) throw this.#outside(given);
    return { root: nearest.root, names: nearest.root.parse(`./${path.slice(nearest.prefix.length)}`) };
  }

  #outside(given: string): BiplaneError {
    return new BiplaneError(
      "INVALID_INPUT",
      `The path ${quote(given)} is outside the allowed directories. List them with list_allowed_directories.`,
    );
  }
}

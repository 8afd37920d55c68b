import { posix, resolve } from "node:path";
import { BiplaneError } from "../../errors.ts";
import { quote } from "../files/parse-path.ts";
import { Root } from "../files/root.ts";
import type { FindOptions, Place, RootOptions } from "../files/root.ts";

/** Several folders as one: a path belongs to the innermost folder it lies in. */
export class Roots {
  readonly #roots: readonly { readonly root: Root; readonly given: string }[];

  constructor(paths: readonly string[], options: Omit<RootOptions, "path" | "prefix">) {
    if (paths.length === 0) throw new BiplaneError("INVALID_DEFINITION", "the filesystem pack needs a folder in roots");
    this.#roots = paths.map((path) => ({ root: new Root({ ...options, path }), given: resolve(path) }));
  }

  get paths(): readonly string[] {
    return this.#roots.map(({ root }) => root.realPath);
  }

  find(path: string, options?: FindOptions): Promise<Place> {
    const { root, names } = this.locate(path);
    return root.find(names, options);
  }

  /** Relative paths and `~` begin in the first folder. */
  locate(given: string): { root: Root; names: readonly string[] } {
    const [first] = this.#roots;
    if (!first) throw this.#outside(given);
    if (given === "~" || given.startsWith("~/")) return { root: first.root, names: first.root.parse(given.slice(2)) };
    if (!given.startsWith("/")) return { root: first.root, names: first.root.parse(given) };
    const path = posix.normalize(given.replace(/^\/{2,}/, "/"));
    const homes = this.#roots.flatMap(({ root, given: named }) => [
      { root, home: root.realPath },
      { root, home: named },
    ]);
    const [nearest] = homes
      .filter(({ home }) => path === home || path.startsWith(home.endsWith("/") ? home : `${home}/`))
      .sort((one, other) => other.home.length - one.home.length);
    if (!nearest) throw this.#outside(given);
    return { root: nearest.root, names: nearest.root.parse(`./${path.slice(nearest.home.length)}`) };
  }

  #outside(given: string): BiplaneError {
    return new BiplaneError(
      "INVALID_INPUT",
      `The path ${quote(given)} is outside the allowed directories; list_allowed_directories names them`,
    );
  }
}

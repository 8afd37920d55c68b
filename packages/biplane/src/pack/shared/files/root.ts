import { mkdirSync, realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { asFileError } from "./file-errors.ts";
import { canHoldFolders, openFolder } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { nameFault } from "./names.ts";
import { parsePath } from "./parse-path.ts";
import type { PathRules } from "./parse-path.ts";
import { KeyedLocks } from "./keyed-locks.ts";
import { walkPath } from "./walk-path.ts";

export interface RootOptions {
  /** The folder on disk. */
  readonly path: string;
  /** The virtual path that tools see, such as `/workspace` (default: the real path). */
  readonly prefix?: string;
  /** Creates the folder if it is missing. */
  readonly create?: boolean;
  /** Names that tools can neither read nor write. */
  readonly isProtected?: (folded: string) => boolean;
  /** Allows files with several hard links. Their content may lie outside. */
  readonly allowHardLinks?: boolean;
  /** Uses folders by descriptor (default: if the system supports it). */
  readonly holdsFolders?: boolean;
}

/** A folder on disk that tools can use. Nothing outside it is reachable. */
export class Root {
  readonly realPath: string;
  readonly rules: PathRules;
  readonly allowHardLinks: boolean;
  /** One lock per file, for writers. */
  readonly locks = new KeyedLocks();
  readonly #holdsFolders: boolean;

  constructor(options: RootOptions) {
    this.realPath = realFolder(options);
    this.rules = { prefix: options.prefix ?? this.realPath, isProtected: options.isProtected ?? (() => false) };
    this.allowHardLinks = options.allowHardLinks ?? false;
    this.#holdsFolders = options.holdsFolders ?? canHoldFolders;
  }

  /** See `parsePath`. */
  parse(path: string): readonly string[] {
    return parsePath(path, this.rules);
  }

  show(names: readonly string[]): string {
    return [this.rules.prefix, ...names].join("/");
  }

  isAllowed(name: string): boolean {
    return nameFault(name, this.rules) === undefined;
  }

  open(): Promise<Folder> {
    return openFolder(this.realPath, this.#holdsFolders);
  }

  /** Resolves a path, including symbolic links, and holds its folder open until the location is disposed. */
  async find(path: string | readonly string[], options: FindOptions = {}): Promise<FileLocation> {
    const names = typeof path === "string" ? this.parse(path) : path;
    try {
      return await walkPath(this, names, options);
    } catch (error) {
      throw asFileError(error, this.show(names), options.createFolders ? "write" : "read");
    }
  }
}

export interface FindOptions {
  /** Creates missing folders. */
  readonly createFolders?: boolean;
  /** If the last name is a symbolic link, returns the link itself. */
  readonly keepLastLink?: boolean;
}

/** A name in an open folder. The file may or may not exist. */
export interface FileLocation extends AsyncDisposable {
  readonly root: Root;
  readonly folder: Folder;
  /** `.` for the root itself. */
  readonly name: string;
  /** The names that lead here without symbolic links. */
  readonly names: readonly string[];
  /** The virtual path, as it was requested. */
  readonly shown: string;
  /** The file's state when the location was resolved. Undefined if it does not exist. */
  readonly stats: Stats | undefined;
}

function realFolder({ path, create }: RootOptions): string {
  try {
    if (create) mkdirSync(path, { recursive: true });
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `The folder ${path} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new BiplaneError("INVALID_DEFINITION", `${path} is not a folder.`);
}

import { mkdirSync, realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { BiplaneError, messageOf } from "../../errors.ts";
import { fileFault } from "./file-fault.ts";
import { canHoldFolders, openFolder } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { nameFault } from "./names.ts";
import { parsePath } from "./parse-path.ts";
import type { PathRules } from "./parse-path.ts";
import { Turns } from "./turns.ts";
import { walkPath } from "./walk-path.ts";

export interface RootOptions {
  /** The real folder. */
  readonly path: string;
  /** What tools call it: `/workspace`. Left out: its real path. */
  readonly prefix?: string;
  /** Make the folder when it is missing. */
  readonly create?: boolean;
  /** Names that tools may neither read nor write. */
  readonly isProtected?: (folded: string) => boolean;
  /** Whether files with several names may be used: one of them may lie outside. */
  readonly allowHardLinks?: boolean;
  /** Use folders by descriptor, where the system can. */
  readonly holdsFolders?: boolean;
}

/** A folder on disk that tools may use, and nothing outside it. */
export class Root {
  readonly realPath: string;
  readonly rules: PathRules;
  readonly allowHardLinks: boolean;
  /** Writers of one file take turns. */
  readonly turns = new Turns();
  readonly #holdsFolders: boolean;

  constructor(options: RootOptions) {
    this.realPath = realFolder(options);
    this.rules = { prefix: options.prefix ?? this.realPath, isProtected: options.isProtected ?? (() => false) };
    this.allowHardLinks = options.allowHardLinks ?? false;
    this.#holdsFolders = options.holdsFolders ?? canHoldFolders;
  }

  /** The names a path is made of; see `parsePath`. */
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

  /** Goes to where a path leads, link by link, and holds the folder it lies in until the place is disposed of. */
  async find(path: string | readonly string[], options: FindOptions = {}): Promise<Place> {
    const names = typeof path === "string" ? this.parse(path) : path;
    try {
      return await walkPath(this, names, options);
    } catch (error) {
      throw fileFault(error, this.show(names), options.createFolders ? "write" : "read");
    }
  }
}

export interface FindOptions {
  /** Make the folders on the way. */
  readonly createFolders?: boolean;
  /** Where the last name is a link, the place is the link itself. */
  readonly keepLastLink?: boolean;
}

/** A name in a folder that is held: there may or may not be something by it. */
export interface Place extends AsyncDisposable {
  readonly root: Root;
  readonly folder: Folder;
  /** `.` for the root itself. */
  readonly name: string;
  /** The names that lead here without links. */
  readonly names: readonly string[];
  /** How tools call it: as it was asked for. */
  readonly shown: string;
  /** What is there, as it was when the place was found. */
  readonly stats: Stats | undefined;
}

function realFolder({ path, create }: RootOptions): string {
  try {
    if (create) mkdirSync(path, { recursive: true });
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `the folder ${path} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new BiplaneError("INVALID_DEFINITION", `${path} is not a folder`);
}

import { appFiles } from "./app-files.ts";
import { environmentFiles } from "./environment-files.ts";
import { serverFiles } from "./server-files.ts";
import { sharedFiles } from "./shared-files.ts";

export const kinds = ["server", "environment", "app"] as const;
export type Kind = (typeof kinds)[number];

export interface ProjectOptions {
  readonly name: string;
  readonly kind: Kind;
  readonly isTypescript: boolean;
  /** What package.json asks for, by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The files of a new project: paths with `/` between, and what is in them. */
export type Files = Readonly<Record<string, string>>;

/** What a kind of project has of its own. */
export interface Parts {
  /** What `biplane serve` reads, as a path from the project's folder. */
  readonly entry: string;
  readonly test: string;
  /** The words of the eval, after `biplane rollout`. */
  readonly evaluation: string;
  /** The rest of biplane.yaml. */
  readonly config: string;
  /** What stands where, and what to try, for the README. */
  readonly about: string;
  readonly packages: readonly string[];
  readonly files: Files;
}

export interface Spelling {
  /** `ts` or `js`. */
  readonly suffix: string;
  /** Text that only TypeScript has, or nothing. */
  readonly types: (text: string) => string;
}

/** All files of a project. */
export function projectFiles(options: ProjectOptions): Files {
  const { kind, name, isTypescript } = options;
  const spelling: Spelling = {
    suffix: isTypescript ? "ts" : "js",
    types: (text) => (isTypescript ? text : ""),
  };
  const parts = makers[kind](name, spelling);
  return { ...sharedFiles(options, parts), ...parts.files };
}

const makers: Readonly<Record<Kind, (name: string, spelling: Spelling) => Parts>> = {
  server: serverFiles,
  environment: environmentFiles,
  app: appFiles,
};

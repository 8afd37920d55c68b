import { appFiles } from "./app-files.ts";
import { environmentFiles } from "./environment-files.ts";
import { serverFiles } from "./server-files.ts";
import { sharedFiles } from "./shared-files.ts";

export const projectKinds = ["server", "environment", "app"] as const;
export type ProjectKind = (typeof projectKinds)[number];

export interface ProjectOptions {
  readonly name: string;
  readonly kind: ProjectKind;
  readonly isTypescript: boolean;
  /** Version ranges for package.json, by package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The files of a new project: content by path, with `/` separators. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** The parts that differ between the kinds of projects. */
export interface ProjectParts {
  /** The module that `biplane serve` loads, relative to the project. */
  readonly entry: string;
  readonly test: string;
  /** The arguments of the eval, after `biplane rollout`. */
  readonly evaluation: string;
  /** The rest of biplane.yaml. */
  readonly config: string;
  /** A section of the README. */
  readonly about: string;
  readonly packages: readonly string[];
  readonly files: ProjectFiles;
}

export interface SourceLanguage {
  /** `ts` or `js`. */
  readonly suffix: string;
  /** Returns the text in TypeScript, an empty string in JavaScript. */
  readonly types: (text: string) => string;
}

/** All files of a project. */
export function projectFiles(options: ProjectOptions): ProjectFiles {
  const { kind, name, isTypescript } = options;
  const language: SourceLanguage = {
    suffix: isTypescript ? "ts" : "js",
    types: (text) => (isTypescript ? text : ""),
  };
  const parts = makers[kind](name, language);
  return { ...sharedFiles(options, parts), ...parts.files };
}

const makers: Readonly<Record<ProjectKind, (name: string, language: SourceLanguage) => ProjectParts>> = {
  server: serverFiles,
  environment: environmentFiles,
  app: appFiles,
};

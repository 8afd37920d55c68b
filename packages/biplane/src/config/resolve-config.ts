import { dirname, resolve } from "node:path";
import { isRecord, cursorIn, positionOf, showAt, showPath, showProblem } from "@biplane/core/internal";
import type { Path, Position, Problem, SourceText } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import { checkSections } from "./check-sections.ts";
import type { KnownNames } from "./check-sections.ts";
import { checkConfigValue } from "./check-value.ts";
import { configSchema } from "./config-schema.ts";
import type { Config } from "./config-schema.ts";
import { withCurrentKeys } from "./former-keys.ts";
import { hiddenRanges, suspectRanges } from "./hidden-ranges.ts";
import { overridesOf, withValue } from "./overlay.ts";
import type { Override } from "./overlay.ts";
import { resolveReferences } from "./references.ts";
import type { Reference, ReferenceSources, SecretUse } from "./references.ts";
import { readYaml } from "./yaml-source.ts";
import type { YamlSource } from "./yaml-source.ts";

export interface ResolveOptions extends Partial<ReferenceSources> {
  readonly file?: ConfigFile | undefined;
  /** Values by path, such as `{ "logging.level": "debug" }`. Undefined values are ignored. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly known?: KnownNames;
  /** Only these sections are checked (default: all). */
  readonly only?: readonly string[];
  /** Base of relative paths on the command line and in the environment (default: the working directory). */
  readonly folder?: string;
}

export interface ConfigFile {
  /** Name as given. Paths in the file are relative to its folder. */
  readonly name: string;
  readonly text: string;
}

export interface ResolvedConfig {
  readonly config: Config;
  readonly source: ConfigSource;
}

/** Where the values of a config came from. */
export interface ConfigSource {
  readonly file: string | undefined;
  /** Values that contain a secret. */
  readonly secretsUsed: readonly SecretUse[];
  /** True if the value contains a resolved reference, which may be a secret. */
  isReferred(path: Path): boolean;
  /** The references in a value of the file. */
  referencesIn(path: Path): readonly Reference[];
  originOf(path: Path): Origin;
  /** An error that points at the value in the file, for problems found after loading. */
  error(path: Path, message: string): BiplaneError;
}

export type Origin =
  | { readonly kind: "flag" | "environment"; readonly name: string }
  | ({ readonly kind: "file" } & Position)
  | { readonly kind: "default" };

/** Precedence: command line, environment, file, default. Reports all problems at once, each with line and column. */
export function resolveConfig(options: ResolveOptions = {}): ResolvedConfig {
  const { file, environment = process.env, flags = {}, secret, known = {}, only, folder = process.cwd() } = options;
  const yaml = withCurrentKeys(readYaml(file?.text ?? ""));
  const text: SourceText = { name: "", text: "", ...file, hidden: [] };
  if (yaml.faults.length > 0) throw unreadable({ ...text, hidden: suspectRanges(text.text) }, yaml);
  const source: SourceText = { ...text, hidden: hiddenRanges(yaml, known.packs) };

  const problems: Problem[] = [];
  const root = cursorIn(problems);
  const referred = resolveReferences(pick(yaml.value, only), root, { environment, secret });
  const overrides = overridesOf(environment, flags).filter(
    ({ path: [section] }) => !only || only.includes(String(section)),
  );
  const overrideOf = (path: Path) => overrides.findLast((each) => isWithin(path, each.path));
  const data = overrides.reduce<unknown>(
    (merged, { path, value }) => withValue(merged, path, value),
    referred.value ?? {},
  );
  const context = {
    known,
    isReferred: (path: Path) => overrideOf(path)?.from.kind === "environment" || referred.isReferred(path),
    isMissing: (path: Path) => overrideOf(path) === undefined && referred.isMissing(path),
    resolvePath: (path: Path, written: string) =>
      written === ":memory:" || isUrl(written)
        ? written
        : resolve(folder, overrideOf(path) || !file ? "." : dirname(file.name), written),
    isWritten: (section: string) => isRecord(data) && Object.hasOwn(data, section),
  };
  const shape = checkConfigValue(data, configSchema, root, context);
  const config = isRecord(shape) ? checkSections(shape, root, context) : {};

  const where: Where = { source, yaml, overrideOf };
  if (problems.length > 0) throw configError(problems, where);
  return {
    config: freeze(config) as Config,
    source: {
      file: file?.name,
      secretsUsed: referred.secretsUsed,
      isReferred: referred.isReferred,
      referencesIn: (path) => (overrideOf(path) ? [] : referred.referencesIn(path)),
      originOf: (path) => originOf(path, where),
      error: (path, message) => configError([{ path, message, at: "value" }], where),
    },
  };
}

interface Where {
  readonly source: SourceText;
  readonly yaml: YamlSource;
  readonly overrideOf: (path: Path) => Override | undefined;
}

function pick(value: unknown, only: readonly string[] | undefined): unknown {
  if (!only || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => only.includes(key)));
}

function isWithin(path: Path, outer: Path): boolean {
  return path.length >= outer.length && outer.every((step, index) => path[index] === step);
}

function originOf(path: Path, { source, yaml, overrideOf }: Where): Origin {
  const override = overrideOf(path);
  if (override) return override.from;
  if (!isThere(yaml.value, path)) return { kind: "default" };
  return { kind: "file", ...positionOf(source.text, yaml.rangeOf(path, "value")[0]) };
}

function isThere(value: unknown, path: Path): boolean {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, step)) return false;
    inner = (inner as Record<string | number, unknown>)[step];
  }
  return true;
}

function unreadable(source: SourceText, { faults }: YamlSource): BiplaneError {
  return invalid(faults.map(({ offset, message }) => showAt(source, [offset, offset + 1], message)));
}

/** Ordered by position in the file. Problems from outside the file come first. */
function configError(problems: readonly Problem[], { source, yaml, overrideOf }: Where): BiplaneError {
  const found = problems.map((problem) => {
    const from = overrideOf(problem.path)?.from;
    const range = from || source.name === "" ? undefined : yaml.rangeOf(problem.path, problem.at);
    return { problem, from, range };
  });
  const inOrder = found.toSorted((one, other) => (one.range?.[0] ?? -1) - (other.range?.[0] ?? -1));
  const lines = inOrder.slice(0, maxShown).map(({ problem, from, range }) => {
    const sentence = showProblem(problem, "the file");
    if (range) return showAt(source, range, sentence);
    return from ? `${from.kind === "flag" ? "command line" : from.name}: ${sentence}` : sentence;
  });
  const more = found.length > maxShown ? [`and ${found.length - maxShown} more`] : [];
  return invalid(
    [...lines, ...more],
    inOrder.slice(0, maxShown).map(({ problem }) => problem),
  );
}

function invalid(lines: readonly string[], problems: readonly Problem[] = []): BiplaneError {
  const details = { problems: problems.map(({ path, message }) => ({ path: showPath(path), message })) };
  return new BiplaneError("INVALID_DEFINITION", lines.join("\n"), { details });
}

const maxShown = 50;

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

/** The store may be a database. */
function isUrl(written: string): boolean {
  return /^postgres(?:ql)?:/.test(written);
}

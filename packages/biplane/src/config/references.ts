import type { Path, DocumentCursor } from "@biplane/core/internal";

/** Sources of `${NAME}`. */
export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Looks up names that are not in the environment. */
  readonly secret?: ((name: string) => string | undefined) | undefined;
}

/** Values with references resolved, and where they were. */
export interface ResolvedReferences {
  readonly value: unknown;
  /** True for values that contained a reference. They may stand for a number, and must not be shown. */
  readonly isReferred: (path: Path) => boolean;
  /** True for values with a reference that could not be resolved. */
  readonly isMissing: (path: Path) => boolean;
  readonly secretsUsed: readonly SecretUse[];
  /** The references in a value, and what each stands for. */
  readonly referencesIn: (path: Path) => readonly Reference[];
}

/** Where the value of a reference came from; `default` if it is the one after `:-`. */
export interface Reference {
  readonly name: string;
  readonly from: "environment" | "store" | "default";
}

export interface SecretUse {
  readonly name: string;
  readonly path: Path;
}

/** Resolves `${NAME}` and `${NAME:-default}` in values. `$${` is a literal `${`. */
export function resolveReferences(
  value: unknown,
  place: DocumentCursor,
  sources: ReferenceSources,
): ResolvedReferences {
  const referred = new Map<string, Reference[]>();
  const missing = new Set<string>();
  const secretsUsed: SecretUse[] = [];
  const lookUp = (name: string, fallback: string | undefined, at: DocumentCursor): string | undefined => {
    const { environment, secret } = sources;
    const isVariable = Object.hasOwn(environment, name) && environment[name] !== undefined;
    const found = isVariable ? environment[name] : secret?.(name);
    if (found !== undefined && !isVariable) secretsUsed.push({ name, path: at.path });
    const isUsed = found !== undefined && (found !== "" || fallback === undefined);
    const from = isUsed ? (isVariable ? "environment" : "store") : "default";
    referred.get(JSON.stringify(at.path))?.push({ name, from });
    return isUsed ? found : fallback;
  };
  const walk = (item: unknown, at: DocumentCursor): unknown => {
    if (typeof item === "string") {
      if (!item.includes("${")) return item;
      if (/(?<!\$)\$\{/.test(item)) referred.set(JSON.stringify(at.path), []);
      const fail: DocumentCursor["fail"] = (...problem) => {
        missing.add(JSON.stringify(at.path));
        return at.fail(...problem);
      };
      return fill(item, { ...at, fail }, lookUp);
    }
    if (Array.isArray(item)) return item.map((item, index) => walk(item, at.at(index)));
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, item]) => [key, walk(item, at.at(key))]));
  };
  const filled = walk(value, place);
  return {
    value: filled,
    isReferred: (path) => referred.has(JSON.stringify(path)),
    isMissing: (path) => missing.has(JSON.stringify(path)),
    secretsUsed,
    referencesIn: (path) => referred.get(JSON.stringify(path)) ?? [],
  };
}

function fill(
  text: string,
  place: DocumentCursor,
  lookUp: (name: string, fallback: string | undefined, at: DocumentCursor) => string | undefined,
): string {
  return text.replaceAll(
    /\$\$\{|\$\{(?:([A-Za-z_]\w*)(?::-([^}]*))?\})?/g,
    (whole, name?: string, fallback?: string) => {
      if (whole === "$${") return "${";
      if (name === undefined) {
        place.fail("has a ${ without a name; write ${NAME}, ${NAME:-default}, or $${ for a literal ${");
        return "";
      }
      const found = lookUp(name, fallback, place);
      if (found === undefined) place.fail(`refers to ${name}, which is not set; set it or write \${${name}:-default}`);
      return found ?? "";
    },
  );
}

import type { Path, Place } from "../call/rules/problem.ts";

/** What `${NAME}` stands for. */
export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asked for what the environment does not have. */
  readonly secret?: ((name: string) => string | undefined) | undefined;
}

/** Values with what they refer to put in, and where that was. */
export interface Referred {
  readonly value: unknown;
  /** Texts that are not as they were written: they may mean a number, and are not shown. */
  readonly isReferred: (path: Path) => boolean;
  /** What refers to something that is not there. */
  readonly isMissing: (path: Path) => boolean;
  readonly secretsUsed: readonly SecretUse[];
}

export interface SecretUse {
  readonly name: string;
  readonly path: Path;
}

/** Puts in what `${NAME}` and `${NAME:-default}` stand for, in values only; `$${` is a plain `${`. */
export function putIn(value: unknown, place: Place, sources: ReferenceSources): Referred {
  const referred = new Set<string>();
  const missing = new Set<string>();
  const secretsUsed: SecretUse[] = [];
  const lookUp = (name: string, at: Place): string | undefined => {
    const { environment, secret } = sources;
    if (Object.hasOwn(environment, name) && environment[name] !== undefined) return environment[name];
    const found = secret?.(name);
    if (found !== undefined) secretsUsed.push({ name, path: at.path });
    return found;
  };
  const walk = (each: unknown, at: Place): unknown => {
    if (typeof each === "string") {
      if (!each.includes("${")) return each;
      if (/(?<!\$)\$\{/.test(each)) referred.add(JSON.stringify(at.path));
      const fail: Place["fail"] = (...problem) => {
        missing.add(JSON.stringify(at.path));
        return at.fail(...problem);
      };
      return fill(each, { ...at, fail }, lookUp);
    }
    if (Array.isArray(each)) return each.map((item, index) => walk(item, at.at(index)));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, walk(item, at.at(key))]));
  };
  const filled = walk(value, place);
  return {
    value: filled,
    isReferred: (path) => referred.has(JSON.stringify(path)),
    isMissing: (path) => missing.has(JSON.stringify(path)),
    secretsUsed,
  };
}

function fill(text: string, place: Place, lookUp: (name: string, at: Place) => string | undefined): string {
  return text.replaceAll(
    /\$\$\{|\$\{(?:([A-Za-z_]\w*)(?::-([^}]*))?\})?/g,
    (whole, name?: string, fallback?: string) => {
      if (whole === "$${") return "${";
      if (name === undefined) {
        place.fail("has a ${ that begins no reference; write ${NAME}, ${NAME:-default}, or $${ for the sign itself");
        return "";
      }
      const found = lookUp(name, place);
      if (found !== undefined && (found !== "" || fallback === undefined)) return found;
      if (fallback === undefined)
        place.fail(`refers to ${name}, which is not set; set it or write \${${name}:-default}`);
      return fallback ?? "";
    },
  );
}

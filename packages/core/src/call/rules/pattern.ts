import type { AgentContext, Principal, Route } from "../../tool/call.ts";
import type { Mode } from "../policy.ts";
import type { Redactor } from "../redact/redactor.ts";
import { conditionReaders } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import type { WrittenMatcher } from "./matcher.ts";
import { unknownName } from "../../tool/near-miss.ts";
import { cursorIn, throwProblems } from "./problem.ts";
import type { DocumentCursor, Problem } from "./problem.ts";
import type { WrittenTime } from "./time-window.ts";
import { isRecord } from "../../is-record.ts";

/** What policies and patterns know about a call. */
export interface CallFacts {
  readonly tool: string;
  /** The parsed input. */
  readonly input: unknown;
  readonly agent: Pick<AgentContext, "agentId" | "model">;
  readonly principal: Principal;
  readonly route: Route;
  readonly mode: Mode;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Redacts text quoted from the input. */
  readonly redactor?: Redactor | undefined;
}

/** Selects calls: every key must match. A list matches if one of its entries does. */
export interface Pattern {
  /** Globs: `*` matches any run of characters, `?` matches one. */
  readonly tool?: string | readonly string[];
  /** `token:ada`, where the id is a glob, or an object. All `scopes` are required. */
  readonly principal?:
    | string
    | readonly string[]
    | {
        readonly kind?: Principal["kind"] | readonly Principal["kind"][];
        readonly id?: string | readonly string[];
        readonly scopes?: string | readonly string[];
        /** Globs over what an OAuth token proved: its issuer, its client, and the thumbprint of its key (DPoP). */
        readonly issuer?: string | readonly string[];
        readonly client?: string | readonly string[];
        readonly key?: string | readonly string[];
      };
  /** Globs over what the caller claims about itself. Do not base permissions on them. */
  readonly agent?: string | readonly string[];
  readonly model?: string | readonly string[];
  readonly route?: Route | readonly Route[];
  readonly mode?: Mode;
  /** By path, such as `amount` or `user.name`. A missing argument matches only `exists: false`. */
  readonly arguments?: Readonly<Record<string, WrittenMatcher>>;
  readonly time?: WrittenTime;
}

/** Compiles an untrusted pattern. Throws with the path of each mistake. Matching time is linear in the call. */
export function compilePattern(pattern: unknown): (facts: CallFacts) => boolean {
  const problems: Problem[] = [];
  const conditions = readPattern(pattern, cursorIn(problems));
  throwProblems(problems, "The pattern");
  return (facts) => conditions.every(({ matches }) => matches(facts));
}

/** Reads the conditions of a pattern, ignoring the keys in `beside`. */
export function readPattern(
  written: unknown,
  cursor: DocumentCursor,
  beside: readonly string[] = [],
): readonly Condition[] {
  if (!isRecord(written)) {
    cursor.fail(`must have keys such as ${patternKeys.slice(0, 3).join(", ")}`);
    return [];
  }
  const keys = Object.keys(written).filter((key) => !beside.includes(key));
  // An empty pattern is probably a mistake, so matching every call must be explicit.
  if (keys.length === 0) cursor.fail('has no condition; write tool: "*" to match every call');
  return keys.flatMap((key) => {
    const read = Object.hasOwn(conditionReaders, key) ? conditionReaders[key] : undefined;
    if (read) return read(written[key], cursor.at(key));
    cursor.at(key).fail(unknownName(key, [...patternKeys, ...beside]), "key");
    return [];
  });
}

const patternKeys = Object.keys(conditionReaders);

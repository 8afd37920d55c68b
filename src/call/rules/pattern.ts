import type { AgentContext, Principal, Route } from "../../tool/call.ts";
import type { Mode } from "../policy.ts";
import type { Redactor } from "../redact/redactor.ts";
import { conditionReaders } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import type { WrittenMatcher } from "./matcher.ts";
import { unknownName } from "./near-miss.ts";
import { placeIn, refuse } from "./problem.ts";
import type { Place, Problem } from "./problem.ts";
import { isRecord } from "./read-list.ts";
import type { WrittenTime } from "./time-window.ts";

/** What is known of a call when somebody has to decide about it. */
export interface CallFacts {
  readonly tool: string;
  /** Checked and parsed. */
  readonly input: unknown;
  readonly agent: Pick<AgentContext, "agentId" | "model">;
  readonly principal: Principal;
  readonly route: Route;
  readonly mode: Mode;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For what is quoted of the input. */
  readonly redactor?: Redactor | undefined;
}

/** Which calls are meant: all that fit every line. Where a list may stand, one of it must fit. */
export interface Pattern {
  /** Globs, in which `*` is any run of characters and `?` is one. */
  readonly tool?: string | readonly string[];
  /** `token:ada`, in which the id is a glob; or its parts, of which all scopes are needed. */
  readonly principal?:
    | string
    | readonly string[]
    | {
        readonly kind?: Principal["kind"] | readonly Principal["kind"][];
        readonly id?: string | readonly string[];
        readonly scopes?: string | readonly string[];
      };
  /** Globs over what the caller says of itself: never a reason to allow what matters. */
  readonly agent?: string | readonly string[];
  readonly model?: string | readonly string[];
  readonly route?: Route | readonly Route[];
  readonly mode?: Mode;
  /** By path, such as `amount` or `user.name`. One that is left out fits nothing but `exists: false`. */
  readonly arguments?: Readonly<Record<string, WrittenMatcher>>;
  readonly time?: WrittenTime;
}

/**
 * Compiles what a person wrote into a test of calls. It may come from anybody: what is wrong with it is told by path, and
 * the test takes time in proportion to the call.
 */
export function compilePattern(pattern: unknown): (facts: CallFacts) => boolean {
  const problems: Problem[] = [];
  const conditions = readPattern(pattern, placeIn(problems));
  refuse(problems, "the pattern");
  return (facts) => conditions.every(({ matches }) => matches(facts));
}

/** The conditions of a pattern. Keys in `beside` are somebody else's. */
export function readPattern(written: unknown, place: Place, beside: readonly string[] = []): readonly Condition[] {
  if (!isRecord(written)) {
    place.fail(`must have keys such as ${patternKeys.slice(0, 3).join(", ")}`);
    return [];
  }
  const keys = Object.keys(written).filter((key) => !beside.includes(key));
  // Whoever means every call says so: what is left empty by mistake must not become a rule for all.
  if (keys.length === 0) place.fail('has no condition; write tool: "*" if every call is meant');
  return keys.flatMap((key) => {
    const read = Object.hasOwn(conditionReaders, key) ? conditionReaders[key] : undefined;
    if (read) return read(written[key], place.at(key));
    place.at(key).fail(unknownName(key, [...patternKeys, ...beside]), "key");
    return [];
  });
}

const patternKeys = Object.keys(conditionReaders);

import { deserialize, serialize } from "node:v8";
import type { EpisodeCaller } from "./episode-caller.ts";
import type { RecentAnswers } from "./recent-answers.ts";
import type { Snapshot } from "./snapshot.ts";

/** What is stored of an episode. */
export interface EpisodeRecord {
  readonly snapshot: Snapshot;
  readonly label: string | undefined;
  readonly agent: string | undefined;
  readonly startedAt: number;
  /** Undefined before the first step, and in older records. */
  readonly player?: EpisodeCaller | undefined;
  /** Undefined if no step had a key. */
  readonly recent: RecentAnswers | undefined;
}

export function encodeRecord(record: EpisodeRecord): string {
  return isJson(record) ? JSON.stringify(record) : `${binaryMark}${serialize(record).toString("base64")}`;
}

export function decodeRecord(data: string): EpisodeRecord {
  if (!data.startsWith(binaryMark)) return JSON.parse(data) as EpisodeRecord;
  return deserialize(Buffer.from(data.slice(binaryMark.length), "base64")) as EpisodeRecord;
}

/** Never the beginning of JSON text. */
const binaryMark = "v8:";

/** An array with holes has fewer keys than elements. */
function isJsonArray(values: readonly unknown[]): boolean {
  return Object.keys(values).length === values.length && values.every((each) => isJson(each, true));
}

/** True if JSON keeps the value as it is. It would change -0, NaN, dates, maps and elements that are undefined. */
function isJson(value: unknown, isElement = false): boolean {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "string":
    case "boolean":
      return true;
    case "undefined":
      return !isElement;
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return isJsonArray(value);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        if (key === "toJSON" || key === "__proto__" || !isJson((value as Record<string, unknown>)[key])) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

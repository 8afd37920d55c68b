import { isRecord } from "../../../packages/core/src/is-record.ts";
import { isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import { hostileText, hostileValues, textKinds } from "./hostile-texts.ts";
import type { TextKind } from "./hostile-texts.ts";
import type { Json } from "./pack-server.ts";

export interface HostileInputsOptions {
  readonly name: string;
  /** An input that succeeds. Hostile values replace its parts. */
  readonly sample: Json;
  /** The most bytes of an input. */
  readonly limit: number;
  /** Sends an input, which is JSON in most cases. */
  readonly send: (input: string) => Promise<unknown>;
  readonly kinds?: readonly TextKind[];
  /** Every day, only some of the cases are tried. Another number gives others. */
  readonly rotation: number;
  readonly daily?: number;
}

/** An input with hostile values of each shape, and texts of each kind, in each of its places. */
export function hostileInputs(options: HostileInputsOptions): HostileCase[] {
  const { name, sample, limit, send, kinds = textKinds, rotation, daily = 3 } = options;
  const shapes = Object.entries(hostileValues).flatMap(([shape, make]): HostileCase[] => [
    { name: `${name} with ${shape}`, limit, send: (size) => send(make(size)) },
    {
      name: `${name} with ${shape} as unknown`,
      limit,
      send: (size) => send(withJson({ ...sample, unknown: mark }, make(size))),
    },
    ...Object.keys(sample).map((key) => ({
      name: `${name} with ${shape} as ${key}`,
      limit,
      send: (size: number) => send(withJson({ ...sample, [key]: mark }, make(size))),
    })),
  ]);
  const texts = pathsIn(sample).flatMap((path) =>
    kinds.flatMap((kind): HostileCase[] => {
      const at = path.join(".");
      const one = (size: number) => send(JSON.stringify(replaced(sample, path, hostileText(kind, size))));
      const large = { name: `${name} with ${kind} in ${at}`, limit, send: one };
      // Many schemas limit a text to fewer characters.
      const small = { name: `${name} with fewer ${kind} in ${at}`, limit: 64_000, send: one };
      return limit > small.limit ? [large, small] : [large];
    }),
  );
  const lists = pathsIn(sample)
    .filter((path) => path.includes("0"))
    .map((path): HostileCase => {
      const list = path.slice(0, path.indexOf("0"));
      const item = valueAt(sample, [...list, "0"]);
      const many = (size: number) =>
        send(
          JSON.stringify(
            replaced(
              sample,
              list,
              Array.from({ length: size }, () => item),
            ),
          ),
        );
      return { name: `${name} with many of ${list.join(".")}`, limit: 1000, send: many };
    });
  const all = [...shapes, ...texts, ...lists];
  const share = Math.ceil(all.length / daily);
  return isSoak ? all : all.filter((_, index) => index % share === rotation % share);
}

const mark = "~hostile~";

function withJson(marked: Json, json: string): string {
  return JSON.stringify(marked).replace(`"${mark}"`, () => json);
}

/** Where the texts are in a value. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === "string") return [[...path]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...path, key]));
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  return key === undefined ? value : valueAt((value as Json)[key], rest);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each: unknown, at) => (String(at) === key ? replaced(each, rest, by) : each));
  return isRecord(value) ? { ...value, [key]: replaced(value[key], rest, by) } : by;
}

import { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { HostObject, type HostBehaviour } from "../values/host-object.ts";
import type { Value } from "../values/value.ts";
import { fromHost, toHost } from "./convert.ts";
import { inThreadBridge } from "./in-thread-bridge.ts";

export interface ObjectOptions {
  /** The result of `type(x)`. */
  readonly type: string;
  readonly repr?: () => string;
  /** `x.name`; undefined when there is no such attribute. */
  readonly get?: (name: string) => unknown;
  /** `x.name = value`. Return false if there is no such attribute; throw to reject the value. */
  readonly set?: (name: string, value: unknown) => boolean;
  /** The result of `dir(x)`, also used for spelling suggestions. */
  readonly names?: () => readonly string[];
  readonly iterate?: () => Iterable<unknown>;
  /** `x operator other`, or `other operator x` when side is right; undefined when it has no meaning. */
  readonly binary?: (operator: string, other: unknown, side: "left" | "right") => unknown;
  readonly freeze?: () => void;
}

/** Creates a value whose attributes and operators the host defines. */
export function createObject(options: ObjectOptions): HostObject {
  const bridge = inThreadBridge(() => new Thread());
  const enter = (value: unknown): Value => fromHost(new Thread(), value, bridge);
  const optional = (value: unknown): Value | undefined => (value === undefined ? undefined : enter(value));
  const { repr, get, set, names, iterate, binary, freeze } = options;
  const behaviour: HostBehaviour = {
    type: encodeUtf8(options.type),
    ...(repr && { repr: () => encodeUtf8(repr()) }),
    ...(get && { getAttribute: (name) => optional(get(decodeUtf8(name))) }),
    ...(set && { setAttribute: (name, value) => set(decodeUtf8(name), toHost(value, bridge)) }),
    ...(names && { attributeNames: () => names().map(encodeUtf8) }),
    ...(iterate && { iterate: () => mapElements(iterate(), enter) }),
    ...(binary && { binary: (operator, other, side) => optional(binary(operator, toHost(other, bridge), side)) }),
    ...(freeze && { freeze }),
  };
  return new HostObject(behaviour);
}

function* mapElements(elements: Iterable<unknown>, enter: (value: unknown) => Value): Generator<Value> {
  for (const element of elements) yield enter(element);
}

/** Creates a value with fixed attributes, such as a group of functions: `math.sqrt`. */
export function createNamespace(name: string, members: Readonly<Record<string, unknown>>): HostObject {
  const { behaviour } = createObject({
    type: "module",
    repr: () => `<module "${name}">`,
    get: (attribute) => (Object.hasOwn(members, attribute) ? members[attribute] : undefined),
    names: () => Object.keys(members),
  });
  return new HostObject({ ...behaviour, namespace: { name, members } });
}

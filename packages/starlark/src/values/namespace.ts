import { HostObject } from "./host-object.ts";
import type { Value } from "./value.ts";

/** A value with fixed attributes, such as `math.sqrt`. */
export function namespaceOf(name: string, members: ReadonlyMap<string, Value>): HostObject {
  return new HostObject({
    type: "module",
    repr: () => `<module "${name}">`,
    getAttribute: (attribute) => members.get(attribute),
    attributeNames: () => [...members.keys()],
  });
}

import type { BinaryOperator } from "../syntax/tokens.ts";
import type { Value } from "./value.ts";

/** The operations of a host value in Starlark. Missing operations are not supported. */
export interface HostBehaviour {
  /** The result of `type(x)`. */
  readonly type: string;
  readonly repr?: () => string;
  readonly getAttribute?: (name: string) => Value | undefined;
  /** Returns false when there is no such attribute to set. */
  readonly setAttribute?: (name: string, value: Value) => boolean;
  readonly attributeNames?: () => readonly string[];
  readonly iterate?: () => Iterator<Value>;
  /** Evaluates `x operator other`, or `other operator x` if `side` is right. Undefined if not supported. */
  readonly binary?: (operator: BinaryOperator, other: Value, side: "left" | "right") => Value | undefined;
  readonly freeze?: () => void;
  /** The attributes of a namespace, the only kind of host object that can be sent to a worker. */
  readonly namespace?: { readonly name: string; readonly members: Readonly<Record<string, unknown>> };
}

/** A value whose behaviour the host defines. It is compared and hashed by identity; a namespace has no hash. */
export class HostObject {
  readonly behaviour: HostBehaviour;

  constructor(behaviour: HostBehaviour) {
    this.behaviour = behaviour;
  }

  get typeName(): string {
    return this.behaviour.type;
  }
}

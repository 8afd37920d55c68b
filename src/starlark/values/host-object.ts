import type { BinaryOperator } from "../syntax/tokens.ts";
import type { Value } from "./value.ts";

/** What a value made by the host can do in Starlark; whatever is left out, the value cannot do. */
export interface HostBehaviour {
  /** What `type(x)` says. */
  readonly type: string;
  readonly repr?: () => string;
  readonly getAttribute?: (name: string) => Value | undefined;
  /** Returns false when there is no such attribute to set. */
  readonly setAttribute?: (name: string, value: Value) => boolean;
  readonly attributeNames?: () => readonly string[];
  readonly iterate?: () => Iterator<Value>;
  /** Answers `x operator other`, or `other operator x` when `side` is right; undefined for no answer. */
  readonly binary?: (operator: BinaryOperator, other: Value, side: "left" | "right") => Value | undefined;
  readonly freeze?: () => void;
  /** The attributes of a fixed namespace, which is the one kind of host object that can be sent to a worker. */
  readonly namespace?: { readonly name: string; readonly members: Readonly<Record<string, unknown>> };
}

/** A value whose behaviour the host defines. It is compared and hashed by identity. */
export class HostObject {
  readonly behaviour: HostBehaviour;

  constructor(behaviour: HostBehaviour) {
    this.behaviour = behaviour;
  }

  get typeName(): string {
    return this.behaviour.type;
  }
}

import { StarlarkError } from "../errors.ts";
import { fromHost, toHost, type FunctionBridge } from "../host/convert.ts";
import { crossBoundary } from "../runtime/boundary.ts";
import { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { Builtin, type StarlarkFunction } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import type { TaggedItem } from "./codec.ts";
import type { HostFunction } from "./evaluation.ts";
import type { JobHost } from "./evaluation-host.ts";
import type { Reply, WorkerQuestion } from "./messages.ts";
import { decodeWire, encodeWire, type Wire, type WireFunctions } from "./wire.ts";

export type PoolLoad = (module: string) => Found | Promise<Found>;
type Found = string | Readonly<Record<string, unknown>>;

/** The host's side of one job: its functions by number. */
export class HostSide implements JobHost {
  /** Each under the name Starlark knows it by. */
  readonly #functions: { readonly name: string; readonly call: HostFunction }[] = [];
  readonly #items = new Map<HostFunction, TaggedItem>();
  readonly #load: PoolLoad | undefined;
  /** Only counts what conversion allocates; the job itself is counted in the worker. */
  readonly #thread = new Thread();

  constructor(load: PoolLoad | undefined) {
    this.#load = load;
  }

  encode(value: unknown, name?: string): Wire {
    if (typeof value === "function" && name !== undefined)
      return { item: this.#register(value as HostFunction, name), nodes: [] };
    return crossBoundary(this.#thread, () => {
      return encodeWire(fromHost(this.#thread, value, this.#bridge), this.#wireFunctions);
    });
  }

  encodeNames(names: Readonly<Record<string, unknown>>): (readonly [string, Wire])[] {
    return Object.entries(names).map(([name, value]) => [encodeUtf8(name), this.encode(value, name)]);
  }

  decode(wire: Wire): unknown {
    return toHost(decodeWire(this.#thread, wire, this.#wireFunctions), this.#bridge);
  }

  nameOf(question: WorkerQuestion): string | undefined {
    return question.kind === "call" ? this.#functions[question.id]?.name : undefined;
  }

  /** Answers a question of the worker, waiting for the host's promise if it gives one. */
  async answer(question: WorkerQuestion): Promise<Reply> {
    if (question.kind !== "call") return this.#describeFound(await this.#load?.(moduleOf(question)));
    const args = question.positional.map((wire) => this.decode(wire));
    if (question.named.length > 0) {
      args.push(Object.fromEntries(question.named.map(([name, wire]) => [decodeUtf8(name), this.decode(wire)])));
    }
    return { kind: "value", value: this.encode(await this.#functions[question.id]?.call(...args)) };
  }

  #describeFound(found: Found | undefined): Reply {
    if (typeof found === "string") return { kind: "source", text: found };
    return { kind: "names", names: this.encodeNames(found ?? {}) };
  }

  #register(target: HostFunction, name: string): TaggedItem {
    const known = this.#items.get(target);
    if (known) return known;
    const id = this.#functions.push({ name, call: target }) - 1;
    const item = ["host function", id, encodeUtf8(name)];
    this.#items.set(target, item);
    return item;
  }

  readonly #bridge: FunctionBridge = {
    toHost: (callable) => this.#registered.get(callable) ?? unreachable(callable),
    fromHost: (callable) => {
      const target = callable as HostFunction;
      const builtin = new Builtin(encodeUtf8(target.name || "anonymous"), () => null);
      this.#registered.set(builtin, target);
      return builtin;
    },
  };

  /** Built-ins that stand for host functions while values are converted. */
  readonly #registered = new WeakMap<object, HostFunction>();

  readonly #wireFunctions: WireFunctions = {
    encodeFunction: (callable) => {
      const target = this.#registered.get(callable);
      if (!target) throw new StarlarkError("conversion", "cannot send this function to a worker");
      return this.#register(target, decodeUtf8(callable.name));
    },
    encodeObject: ({ behaviour: { namespace, type } }) => {
      if (!namespace) throw new StarlarkError("conversion", `cannot send a ${decodeUtf8(type)} to a worker`);
      return ["namespace", encodeUtf8(namespace.name), ...this.encodeNames(namespace.members)];
    },
    decode: ([tag, first]): Value => {
      const target = tag === "host function" ? this.#functions[Number(first)]?.call : undefined;
      if (target) return this.#bridge.fromHost(target);
      return new Builtin(first as string, () => null);
    },
  };
}

function moduleOf(question: Exclude<WorkerQuestion, { kind: "call" }>): string {
  return question.kind === "load" ? question.module : "";
}

/** A Starlark function of a worker. It has a name but cannot be called here; that takes another job. */
function unreachable(callable: StarlarkFunction | Builtin): () => never {
  const name = decodeUtf8(callable.name);
  const stub = (): never => {
    throw new StarlarkError("conversion", `${name} lives in a worker; call it with the call option of the pool's run`);
  };
  Object.defineProperty(stub, "name", { value: name });
  return stub;
}

import { BiplaneError } from "../errors.ts";
import type { App } from "../tool/app.ts";
import type { Tool } from "../tool/tool.ts";
import { appResource, isAppResource } from "./app-resource.ts";
import type { Prompt } from "./prompt.ts";
import type { CompletionTarget, FoundResource } from "./readers.ts";
import type { Completer, Resource } from "./resource.ts";

export type Thing = Tool | Resource | Prompt;

/** What changed in a server, for those who listen. */
export type Change = Kind | { readonly resource: string };
type Kind = "tools" | "resources" | "prompts";

/** What a server offers, by name: its own things and those of what is mounted in it. */
export class Catalog {
  readonly tools = new Map<string, Tool>();
  readonly resources = new Map<string, Resource>();
  readonly prompts = new Map<string, Prompt>();
  readonly #listeners = new Set<(change: Change) => void>();

  add(thing: Thing): void {
    const [kind, key, things] = this.#placeOf(thing);
    if (key === "") throw new BiplaneError("INVALID_DEFINITION", "a tool in a list needs a name");
    if (kind === "resources" && things.get(key) === thing) return; // the page of several tools
    if (things.has(key)) {
      const what = kind.slice(0, -1);
      throw new BiplaneError("INVALID_DEFINITION", `there are two ${what}s called ${JSON.stringify(key)}`);
    }
    things.set(key, thing);
    if ("run" in thing && thing.ui?.app) this.#addPage(thing.ui.app);
  }

  remove(thing: Thing): boolean {
    const [, key, things] = this.#placeOf(thing);
    if ("read" in thing && things.get(key) !== thing) return false; // another's by now
    const isRemoved = things.delete(key);
    if ("run" in thing && thing.ui?.app) this.#removePage(thing.ui.app);
    return isRemoved;
  }

  has(thing: Thing): boolean {
    const [, key, things] = this.#placeOf(thing);
    return things.has(key);
  }

  findResource(uri: string): FoundResource | undefined {
    const exact = this.resources.get(uri);
    if (exact?.uri !== undefined) return { resource: exact, parameters: {} };
    for (const resource of this.resources.values()) {
      const parameters = resource.template?.match(uri);
      if (parameters) return { resource, parameters };
    }
    return undefined;
  }

  /** What suggests values for an argument, where anything does. */
  findCompleter(target: CompletionTarget, argument: string): Completer | undefined {
    if ("prompt" in target) return own(this.prompts.get(target.prompt)?.arguments, argument)?.complete;
    return own(this.resources.get(target.template)?.complete, argument);
  }

  /** Tells `listener` of changes until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /**
   * Its address is made from what it says: two of one address are one. What another server has put there is not it, and
   * gives way.
   */
  #addPage(app: App): void {
    const there = this.resources.get(app.uri);
    if (!there || !isAppResource(there)) this.resources.set(app.uri, appResource(app));
  }

  /** A page goes with the last tool that has it. */
  #removePage(app: App): void {
    for (const { ui } of this.tools.values()) if (ui?.uri === app.uri) return;
    this.resources.delete(app.uri);
  }

  #placeOf(thing: Thing): [Kind, string, Map<string, Thing>] {
    const kind = kindOf(thing);
    return [kind, keyOf(thing), this[kind]];
  }
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

export function kindOf(thing: Thing): Kind {
  return "run" in thing ? "tools" : "read" in thing ? "resources" : "prompts";
}

/** A name, or for resources the URI or template. */
function keyOf(thing: Thing): string {
  return "read" in thing ? (thing.uri ?? thing.template?.text ?? "") : thing.name;
}

import { allow } from "../call/policy.ts";
import type { Policy } from "../call/policy.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import { BiplaneError } from "../errors.ts";
import type { Call } from "../tool/call.ts";
import { renamed } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { kindOf } from "./catalog.ts";
import type { Catalog, Thing } from "./catalog.ts";
import type { Prompt } from "./prompt.ts";
import { completeArgument, getPrompt, readResource } from "./readers.ts";
import type { CompletionInput } from "./readers.ts";
import { contentsOf } from "./resource.ts";
import type { Resource } from "./resource.ts";

/** What can be mounted in a server: its things are called as if they were the server's own. */
export interface Mountable {
  readonly catalog: Catalog;
  /** Rules that hold for its things wherever they are mounted, those there are now and those to come. */
  onPolicy(adopt: (policy: Policy) => void): () => void;
  /** What must not leave in any outcome. */
  readonly redactor: Redactor | undefined;
}

export interface MountOptions {
  /**
   * When names get the mount's name in front of them (`git_status`): where another has the name already, always, or
   * never, so that a name that is taken is an error.
   */
  readonly prefix?: "on collision" | "always" | "never";
  /** Told of things that cannot be offered, because their names are taken. */
  readonly onConflict?: (error: BiplaneError) => void;
}

/** Offers the things of `child` in `parent`, and keeps them in step until the returned function is called. */
export class Mount {
  readonly name: string;
  readonly child: Mountable;
  readonly #parent: Catalog;
  readonly #options: MountOptions;
  /** Theirs to ours. */
  readonly #offered = new Map<Thing, Thing>();
  /** The names that our tools and prompts have at home. */
  readonly #homeNames = { tools: new Map<string, string>(), prompts: new Map<string, string>() };
  /** Pages of ours: what they are called here, by what they are called at home. */
  readonly #pages = new Map<string, string>();
  readonly #stop: () => void;

  constructor(parent: Catalog, name: string, child: Mountable, options: MountOptions = {}) {
    this.name = name;
    this.child = child;
    this.#parent = parent;
    this.#options = options;
    this.#offerFirst(options);
    this.#stop = child.catalog.onChange((change) => {
      if (typeof change === "object") return parent.tell(change);
      this.#offer(options.onConflict ?? (() => undefined));
      parent.tell(change);
    });
  }

  /** One of its policies, as a rule of the parent: it sees only calls of its own things, by the names they have at home. */
  guard(policy: Policy): Policy {
    return (agent, toolName, input, context) => {
      if (toolName === readResource) {
        const uri = this.#homeUri((input as { uri: string }).uri);
        return uri === undefined ? allow() : policy(agent, toolName, { uri }, context);
      }
      if (toolName === getPrompt) {
        const name = this.#homeNames.prompts.get((input as { name: string }).name);
        return name === undefined ? allow() : policy(agent, toolName, { ...(input as object), name }, context);
      }
      if (toolName === completeArgument) {
        const { ref } = input as CompletionInput;
        const isOurs =
          "prompt" in ref ? this.#homeNames.prompts.has(ref.prompt) : this.child.catalog.resources.has(ref.template);
        return isOurs ? policy(agent, toolName, input, context) : allow();
      }
      const name = this.#homeNames.tools.get(toolName);
      return name === undefined ? allow() : policy(agent, name, input, context);
    };
  }

  /** The thing at home that is offered as this one; undefined where it is none of ours. */
  homeOf(ours: Thing): Thing | undefined {
    for (const [their, our] of this.#offered) if (our === ours) return their;
    return undefined;
  }

  end(): void {
    this.#stop();
    for (const [key, mount] of claimsIn(this.#parent)) if (mount === this) claimsIn(this.#parent).delete(key);
    for (const ours of this.#offered.values()) this.#parent.remove(ours);
    this.#offered.clear();
    this.#pages.clear();
  }

  /** Where prefixes are off, a name that is taken means that nothing is mounted; otherwise the rest is. */
  #offerFirst({ prefix, onConflict = () => undefined }: MountOptions): void {
    try {
      this.#offer((error, thing) => {
        if (prefix === "never" && !("read" in thing)) throw error;
        onConflict(error);
      });
    } catch (error) {
      for (const ours of this.#offered.values()) this.#parent.remove(ours);
      throw error;
    }
  }

  /** Takes in what is new and gives up what is gone. */
  #offer(onConflict: (error: BiplaneError, thing: Thing) => void): void {
    const { tools, resources, prompts } = this.child.catalog;
    // Pages come before the tools that are shown with them.
    const theirs = new Set<Thing>([...resources.values(), ...tools.values(), ...prompts.values()]);
    for (const [their, our] of this.#offered) {
      if (theirs.has(their)) continue;
      this.#parent.remove(our);
      this.#offered.delete(their);
      if (!("read" in our)) this.#namesOf(our).delete(our.name);
      else if ("read" in their) this.#pages.delete(their.uri ?? "");
    }
    for (const their of theirs) {
      if (this.#offered.has(their)) continue;
      try {
        const ours = this.#named(their);
        this.#parent.add(ours);
        this.#offered.set(their, ours);
        if (!("read" in ours)) this.#namesOf(ours).set(ours.name, their.name);
        else if ("read" in their && isPage(ours)) this.#pages.set(their.uri ?? "", ours.uri ?? "");
      } catch (error) {
        onConflict(error as BiplaneError, their);
      }
    }
  }

  #named(thing: Thing): Thing {
    const { prefix = "on collision" } = this.#options;
    if ("read" in thing) return this.#page(thing) ?? thing; // a resource is known by its URI, which stays what it is
    return this.#shown(this.#plain(thing, prefix));
  }

  /** A tool that is shown with a page is shown with its own, whatever that is called here, or with none. */
  #shown(thing: Tool | Prompt): Tool | Prompt {
    if (!("run" in thing) || thing.ui?.uri === undefined) return thing;
    const { uri: home, visibility } = thing.ui;
    const uri = this.#pages.get(home);
    if (uri === home || (uri === undefined && !this.#parent.resources.has(home))) return thing;
    return Object.freeze({ ...thing, ui: { visibility, ...(uri !== undefined && { uri }) } });
  }

  /** Two servers may both have a `ui://app`: the second one's page gets the mount's name, lest it be taken for the first's. */
  #page(thing: Resource): Resource | undefined {
    const { uri = "", read } = thing;
    const other = this.#parent.resources.get(uri);
    if (!isPage(thing) || !other || other === thing) return undefined;
    const ours = `ui://${this.name}/${uri.slice(5)}`;
    return Object.freeze({
      ...thing,
      uri: ours,
      read: async (parameters: Readonly<Record<string, string>>, call: Call) =>
        contentsOf(await read(parameters, call, uri), uri, thing.mimeType).map((each) => ({ ...each, uri: ours })),
    });
  }

  #homeUri(uri: string): string | undefined {
    for (const [home, ours] of this.#pages) if (ours === uri) return home;
    return !this.#pages.has(uri) && this.child.catalog.findResource(uri) ? uri : undefined;
  }

  #plain(thing: Tool | Prompt, prefix: MountOptions["prefix"]): Tool | Prompt {
    const isOurs = prefix !== "always" && this.#claim(thing);
    if (isOurs) return thing;
    if (prefix === "never") throw taken(thing.name, this.name);
    const name = `${this.name}_${thing.name}`;
    return "run" in thing ? renamed(thing, name) : Object.freeze({ ...thing, name });
  }

  /**
   * Whether a plain name is for this mount. One that was somebody else's stays so when he drops it: what people allowed
   * under that name, they did not allow to whoever is quick to take it over.
   */
  #claim(thing: Tool | Prompt): boolean {
    const claims = claimsIn(this.#parent);
    const key = `${kindOf(thing)} ${thing.name}`;
    const isTaken = this.#parent.has(thing);
    if (!claims.has(key)) claims.set(key, isTaken ? undefined : this);
    return claims.get(key) === this && !isTaken;
  }

  #namesOf(thing: Tool | Prompt): Map<string, string> {
    return "run" in thing ? this.#homeNames.tools : this.#homeNames.prompts;
  }
}

/** Whose a plain name was first; undefined where it was no mount's. */
function claimsIn(catalog: Catalog): Map<string, Mount | undefined> {
  let claims = claimed.get(catalog);
  if (!claims) claimed.set(catalog, (claims = new Map()));
  return claims;
}

const claimed = new WeakMap<Catalog, Map<string, Mount | undefined>>();

function isPage({ uri }: Resource): boolean {
  return uri?.startsWith("ui://") ?? false;
}

function taken(name: string, mount: string): BiplaneError {
  return new BiplaneError(
    "INVALID_DEFINITION",
    `${JSON.stringify(name)} of ${mount} is taken already, and prefixes are off: rename one, or allow prefixes`,
  );
}

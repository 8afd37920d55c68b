import { allow } from "../call/policy.ts";
import { namedAfter } from "../call/rules/rules.ts";
import type { Policy } from "../call/policy.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError } from "../errors.ts";
import type { Call } from "../tool/call.ts";
import { renamed } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { catalogKind } from "./catalog.ts";
import type { Catalog, CatalogItem } from "./catalog.ts";
import type { Prompt } from "./prompt.ts";
import { completeArgument, getPrompt, readResource } from "./readers.ts";
import type { CompletionInput } from "./readers.ts";
import { contentsOf } from "./resource.ts";
import type { Resource } from "./resource.ts";
import type { Skill } from "./skill.ts";

/** Something whose tools, resources and prompts a server can offer as its own. */
export interface Mountable {
  readonly catalog: Catalog;
  /** Calls `adopt` with every policy of the child, now and later. The returned function stops that. */
  onPolicy(adopt: (policy: Policy) => void): () => void;
  /** Redacts the child's secrets from every outcome. */
  readonly redactor: Redactor | undefined;
  /** True if some of its tools run in episodes. */
  readonly hasEpisodes?: boolean;
  /** The caller's episode for one of its tools. */
  episodeFor?(tool: Tool, call: LiveCall): Scope | Promise<Scope> | undefined;
  /** Where an item of its own mounts comes from. A child without this is remote. */
  mountPathOf?(item: CatalogItem): string | undefined;
}

/** Options of `mount`. */
export interface MountOptions {
  /**
   * When to put the mount's name before tool and prompt names, as in `git_status` (default: `"on collision"`).
   * With `"never"`, a name that is already taken is an error.
   */
  readonly prefix?: "on collision" | "always" | "never";
  /** Called for items that cannot be offered because their names are taken. */
  readonly onConflict?: (error: BiplaneError) => void;
}

/** Offers the items of `child` in `parent` and tracks its changes until `end`. */
export class Mount {
  readonly name: string;
  readonly child: Mountable;
  readonly #parent: Catalog;
  readonly #options: MountOptions;
  /** The child's items and what the parent offers for them. */
  readonly #offered = new Map<CatalogItem, CatalogItem>();
  /** The same by what is offered, because every call in an episode asks for it. */
  readonly #originals = new Map<CatalogItem, CatalogItem>();
  /** By offered name, the name in the child. */
  readonly #originalNames = { tools: new Map<string, string>(), prompts: new Map<string, string>() };
  /** The child's skills that the parent offers. */
  readonly #skills = new Set<Skill>();
  /** App pages: by URI in the child, the URI in the parent. */
  readonly #pages = new Map<string, string>();
  readonly #stop: () => void;

  constructor(
    parent: Catalog,
    mounted: { readonly name: string; readonly child: Mountable },
    options: MountOptions = {},
  ) {
    const { name, child } = mounted;
    this.name = name;
    this.child = child;
    this.#parent = parent;
    this.#options = options;
    this.#offerFirst(options);
    this.#offerSkills(options.onConflict ?? (() => undefined));
    this.#stop = child.catalog.onChange((change) => {
      if (typeof change === "object") return parent.notify(change);
      this.#offer(options.onConflict ?? (() => undefined));
      this.#offerSkills(options.onConflict ?? (() => undefined));
      parent.notify(change);
    });
  }

  /** Wraps a child policy for the parent. It sees only calls of the child's items, under their original names. */
  wrapPolicy(policy: Policy): Policy {
    return namedAfter(policy, (agent, toolName, input, context) => {
      if (toolName === readResource) {
        const uri = this.#originalUri((input as { uri: string }).uri);
        return uri === undefined ? allow() : policy(agent, toolName, { uri }, context);
      }
      if (toolName === getPrompt) {
        const name = this.#originalNames.prompts.get((input as { name: string }).name);
        return name === undefined ? allow() : policy(agent, toolName, { ...(input as object), name }, context);
      }
      if (toolName === completeArgument) {
        const { ref } = input as CompletionInput;
        const isOwn =
          "prompt" in ref
            ? this.#originalNames.prompts.has(ref.prompt)
            : this.child.catalog.resources.has(ref.template);
        return isOwn ? policy(agent, toolName, input, context) : allow();
      }
      const name = this.#originalNames.tools.get(toolName);
      return name === undefined ? allow() : policy(agent, name, input, context);
    });
  }

  /** The child's item behind an offered one; undefined if this mount does not offer it. */
  originalOf(item: CatalogItem): CatalogItem | undefined {
    return this.#originals.get(item);
  }

  end(): void {
    this.#stop();
    for (const [key, mount] of claimsIn(this.#parent)) if (mount === this) claimsIn(this.#parent).delete(key);
    for (const skill of this.#skills) this.#parent.removeSkill(skill);
    for (const offered of this.#offered.values()) this.#parent.remove(offered);
    this.#skills.clear();
    this.#offered.clear();
    this.#originals.clear();
    this.#pages.clear();
  }

  /** With prefixes off, a taken name fails the whole mount. Otherwise the rest is mounted. */
  #offerFirst({ prefix, onConflict = () => undefined }: MountOptions): void {
    try {
      this.#offer((error, item) => {
        if (prefix === "never" && !("read" in item)) throw error;
        onConflict(error);
      });
    } catch (error) {
      for (const offered of this.#offered.values()) this.#parent.remove(offered);
      throw error;
    }
  }

  /** Adds new items and removes vanished ones. */
  #offer(onConflict: (error: BiplaneError, item: CatalogItem) => void): void {
    const { tools, resources, prompts } = this.child.catalog;
    // Pages first: tools refer to them.
    const childItems = new Set<CatalogItem>([...resources.values(), ...tools.values(), ...prompts.values()]);
    for (const [childItem, offered] of this.#offered) {
      if (childItems.has(childItem)) continue;
      this.#parent.remove(offered);
      this.#offered.delete(childItem);
      this.#originals.delete(offered);
      if (!("read" in offered)) this.#namesOf(offered).delete(offered.name);
      else if ("read" in childItem) this.#pages.delete(childItem.uri ?? "");
    }
    for (const childItem of childItems) {
      if (this.#offered.has(childItem)) continue;
      try {
        const offered = this.#named(childItem);
        this.#parent.add(offered);
        this.#offered.set(childItem, offered);
        this.#originals.set(offered, childItem);
        if (!("read" in offered)) this.#namesOf(offered).set(offered.name, childItem.name);
        else if ("read" in childItem && isPage(offered)) this.#pages.set(childItem.uri ?? "", offered.uri ?? "");
      } catch (error) {
        onConflict(error as BiplaneError, childItem);
      }
    }
  }

  /** Skills keep their URI. A skill whose URI is taken is not offered, because its files would be those of another. */
  #offerSkills(onConflict: (error: BiplaneError) => void): void {
    const current = new Set(this.child.catalog.skills.values());
    for (const skill of this.#skills) {
      if (current.has(skill)) continue;
      this.#parent.removeSkill(skill);
      this.#skills.delete(skill);
    }
    for (const skill of current) {
      if (this.#skills.has(skill)) continue;
      try {
        this.#parent.addSkill(skill);
        this.#skills.add(skill);
      } catch (error) {
        onConflict(error as BiplaneError);
      }
    }
  }

  #named(item: CatalogItem): CatalogItem {
    const { prefix = "on collision" } = this.#options;
    if ("read" in item) return this.#page(item) ?? item; // Resources keep their URI.
    return this.#shown(this.#plain(item, prefix));
  }

  /** Points a tool to its own page under the URI it has here, or to none. */
  #shown(item: Tool | Prompt): Tool | Prompt {
    if (!("run" in item) || item.ui?.uri === undefined) return item;
    const { uri: original, visibility } = item.ui;
    const uri = this.#pages.get(original);
    if (uri === original || (uri === undefined && !this.#parent.resources.has(original))) return item;
    return Object.freeze({ ...item, ui: { visibility, ...(uri !== undefined && { uri }) } });
  }

  /** Two servers may both have a `ui://app`. The second page gets the mount's name in its URI. */
  #page(item: Resource): Resource | undefined {
    const { uri = "", read } = item;
    const other = this.#parent.resources.get(uri);
    if (!isPage(item) || !other || other === item) return undefined;
    const offered = `ui://${this.name}/${uri.slice(5)}`;
    return Object.freeze({
      ...item,
      uri: offered,
      read: async (parameters: Readonly<Record<string, string>>, call: Call) =>
        contentsOf(await read(parameters, call, uri), uri, item.mimeType).map((each) => ({ ...each, uri: offered })),
    });
  }

  #originalUri(uri: string): string | undefined {
    for (const [original, offered] of this.#pages) if (offered === uri) return original;
    return !this.#pages.has(uri) && this.child.catalog.findResource(uri) ? uri : undefined;
  }

  #plain(item: Tool | Prompt, prefix: MountOptions["prefix"]): Tool | Prompt {
    const isOwn = prefix !== "always" && this.#claim(item);
    if (isOwn) return item;
    if (prefix === "never") throw taken(item.name, this.name);
    const name = `${this.name}_${item.name}`;
    return "run" in item ? renamed(item, name) : Object.freeze({ ...item, name });
  }

  /**
   * Whether this mount may use the plain name. A name that another mount had stays reserved after it is dropped:
   * existing approvals for that name must not pass to a different server.
   */
  #claim(item: Tool | Prompt): boolean {
    const claims = claimsIn(this.#parent);
    const key = `${catalogKind(item)} ${item.name}`;
    const isTaken = this.#parent.has(item);
    if (!claims.has(key)) claims.set(key, isTaken ? undefined : this);
    return claims.get(key) === this && !isTaken;
  }

  #namesOf(item: Tool | Prompt): Map<string, string> {
    return "run" in item ? this.#originalNames.tools : this.#originalNames.prompts;
  }
}

/** Which mount first claimed a plain name; undefined if the name belonged to no mount. */
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
    `Cannot mount ${mount}: the name ${JSON.stringify(name)} is already taken. Rename one, or allow prefixes.`,
  );
}

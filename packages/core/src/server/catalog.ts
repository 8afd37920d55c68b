import { BiplaneError } from "../errors.ts";
import type { App } from "../tool/app.ts";
import type { Tool } from "../tool/tool.ts";
import { appResource, isAppResource } from "./app-resource.ts";
import type { Prompt } from "./prompt.ts";
import type { CompletionTarget, FoundResource } from "./readers.ts";
import type { Completer, Resource } from "./resource.ts";
import type { Skill } from "./skill.ts";

export type CatalogItem = Tool | Resource | Prompt;

/** A change in a catalog: a list changed, or the content of one resource did. */
export type CatalogChange = Kind | { readonly resource: string };
type Kind = "tools" | "resources" | "prompts";

/** The tools, resources, prompts and skills of a server, including mounted ones. */
export class Catalog {
  readonly tools = new Map<string, Tool>();
  readonly resources = new Map<string, Resource>();
  readonly prompts = new Map<string, Prompt>();
  /** By the URI of `SKILL.md`. Their files are among the resources. */
  readonly skills = new Map<string, Skill>();
  readonly #listeners = new Set<(change: CatalogChange) => void>();

  add(item: CatalogItem): void {
    const [kind, key, items] = this.#locate(item);
    if (key === "") throw new BiplaneError("INVALID_DEFINITION", "A tool in a list needs a name.");
    if (kind === "resources" && items.get(key) === item) return; // Several tools can share an app page.
    if (items.has(key)) {
      const what = kind.slice(0, -1);
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `Two ${what}s are named ${JSON.stringify(key)}. Rename one of them.`,
      );
    }
    items.set(key, item);
    if ("run" in item && item.ui?.app) this.#addPage(item.ui.app);
  }

  remove(item: CatalogItem): boolean {
    const [, key, items] = this.#locate(item);
    if ("read" in item && items.get(key) !== item) return false; // Another resource has taken this URI.
    const isRemoved = items.delete(key);
    if ("run" in item && item.ui?.app) this.#removePage(item.ui.app);
    return isRemoved;
  }

  has(item: CatalogItem): boolean {
    const [, key, items] = this.#locate(item);
    return items.has(key);
  }

  /** Also adds the resource that reads its files. */
  addSkill(skill: Skill): void {
    if (this.skills.has(skill.uri))
      throw new BiplaneError("INVALID_DEFINITION", `Two skills have the URI ${skill.uri}. Rename one of them.`);
    this.add(skill.folder);
    this.skills.set(skill.uri, skill);
  }

  removeSkill(skill: Skill): boolean {
    if (this.skills.get(skill.uri) !== skill) return false;
    this.remove(skill.folder);
    return this.skills.delete(skill.uri);
  }

  findResource(uri: string): FoundResource | undefined {
    // Skills first: a resource with the URI of a skill's file would pose as that file.
    for (const { folder } of this.skills.values())
      if (folder.template?.match(uri)) return { resource: folder, parameters: {} };
    const exact = this.resources.get(uri);
    if (exact?.uri !== undefined) return { resource: exact, parameters: {} };
    for (const resource of this.resources.values()) {
      const parameters = resource.template?.match(uri);
      if (parameters) return { resource, parameters };
    }
    return undefined;
  }

  /** The completer for an argument, if there is one. */
  findCompleter(target: CompletionTarget, argument: string): Completer | undefined {
    if ("prompt" in target) return own(this.prompts.get(target.prompt)?.arguments, argument)?.complete;
    return own(this.resources.get(target.template)?.complete, argument);
  }

  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: (change: CatalogChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(change: CatalogChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** App URIs contain a content hash, so equal URIs mean equal pages. A foreign resource at such a URI is replaced. */
  #addPage(app: App): void {
    const existing = this.resources.get(app.uri);
    if (!existing || !isAppResource(existing)) this.resources.set(app.uri, appResource(app));
  }

  /** Removes a page with the last tool that uses it. */
  #removePage(app: App): void {
    for (const { ui } of this.tools.values()) if (ui?.uri === app.uri) return;
    this.resources.delete(app.uri);
  }

  #locate(item: CatalogItem): [Kind, string, Map<string, CatalogItem>] {
    const kind = catalogKind(item);
    return [kind, keyOf(item), this[kind]];
  }
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

export function catalogKind(item: CatalogItem): Kind {
  return "run" in item ? "tools" : "read" in item ? "resources" : "prompts";
}

/** A name; for resources the URI or template. */
function keyOf(item: CatalogItem): string {
  return "read" in item ? (item.uri ?? item.template?.text ?? "") : item.name;
}

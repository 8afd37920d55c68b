import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import { pageOf } from "./app-page.ts";
import type { PageSource } from "./app-page.ts";
import { cspLists, whyNoSource } from "./csp-source.ts";
import type { JsonObject } from "./schema.ts";

/** An interactive page that hosts show beside what a tool answers: a frozen value that any number of tools may have. */
export interface App {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** `ui://<name>@<hash>`: hosts keep pages by URI, so another page has another one. */
  readonly uri: string;
  readonly html: string;
  readonly visibility: readonly Visibility[];
  /** What hosts are told of the page, in the words of MCP Apps. */
  readonly meta: JsonObject;
}

/** Who may call a tool: the model, the page of an app, or both. */
export type Visibility = "model" | "app";

export type AppOptions = PageSource & {
  /** A part of the URI; left out, the name of the file. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** What the page may load and whom it may talk to. Left out: nothing and nobody. */
  readonly csp?: AppCsp;
  readonly permissions?: readonly AppPermission[];
  /** Who may call the tool that has the app: both, unless said. */
  readonly visibility?: readonly Visibility[];
  /** An origin that a host is to keep for this page, in the host's own format. */
  readonly domain?: string;
  readonly prefersBorder?: boolean;
  /** Whether the page needs an origin of its own, with storage, in hosts that can give it one. */
  readonly sameOrigin?: boolean;
};

/** Lists of origins such as `https://api.example.com` or `https://*.example.com`. */
export interface AppCsp {
  /** For fetch, XMLHttpRequest and WebSocket. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

export type AppPermission = (typeof permissions)[number];

/** What a tool has to do with apps. */
export interface ToolUi {
  /** The page it is shown with. */
  readonly uri?: string;
  readonly visibility: readonly Visibility[];
  /** The page itself, where it is ours. */
  readonly app?: App;
}

/** Defines a page, from HTML, a file of it, or a script that is bundled into one. What cannot work is an error here. */
export function app(options: AppOptions): App {
  const { html, name: fileName } = pageOf(options);
  const { name = fileName, title, description, csp, prefersBorder, domain, sameOrigin } = options;
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
    throw invalid(name, "a name is 1 to 64 small letters, digits, dots, underscores and hyphens");
  if (domain !== undefined && whyNoSource(`https://${domain}`, ["https"]) !== undefined)
    throw invalid(name, `${shown(domain)} is no domain`);
  const ui = {
    ...(csp && { csp: checkedCsp(name, csp) }),
    ...(options.permissions && { permissions: checkedPermissions(name, options.permissions) }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  const meta = { ...(Object.keys(ui).length > 0 && { ui }), ...(sameOrigin && { [sameOriginKey]: true }) };
  const hash = createHash("sha256")
    .update(JSON.stringify([html, meta, title, description]))
    .digest("hex")
    .slice(0, 12);
  const uri = `ui://${name}@${hash}`;
  const visibility = checkedVisibility(name, options.visibility ?? everyone);
  return Object.freeze({ name, title, description, uri, html, visibility, meta: Object.freeze(meta) });
}

/** What a tool's `ui` says, in one shape. */
export function toolUi(name: string, given: App | { readonly visibility: readonly Visibility[] }): ToolUi {
  const visibility = checkedVisibility(name, given.visibility);
  return Object.freeze("uri" in given ? { uri: given.uri, visibility, app: given } : { visibility });
}

/** What another server says of its tool: read with care, and undefined where it says nothing. */
export function foreignUi(meta: JsonObject | undefined): ToolUi | undefined {
  const { ui, "ui/resourceUri": old } = (meta ?? {}) as { ui?: unknown; "ui/resourceUri"?: unknown };
  const { resourceUri = old, visibility } = (typeof ui === "object" && ui !== null ? ui : {}) as JsonObject;
  const isPage = typeof resourceUri === "string" && resourceUri.startsWith("ui://");
  if (!isPage && !Array.isArray(visibility)) return undefined;
  const known = Array.isArray(visibility) ? everyone.filter((who) => visibility.includes(who)) : everyone;
  return { ...(isPage && { uri: resourceUri }), visibility: known };
}

/** A tool as MCP Apps writes it down: the key of today, and the one that older hosts read. */
export function uiMeta({ uri, visibility }: ToolUi): JsonObject {
  const isForAll = visibility.length === everyone.length;
  const ui = { ...(uri !== undefined && { resourceUri: uri }), ...(!isForAll && { visibility }) };
  return { ui, ...(uri !== undefined && { "ui/resourceUri": uri }) };
}

/** Whether a model is to know of a tool. */
export function isForModel({ ui }: { readonly ui?: ToolUi | undefined }): boolean {
  return !ui || ui.visibility.includes("model");
}

/** Whether the page of an app may call a tool. */
export function isForApps({ ui }: { readonly ui?: ToolUi | undefined }): boolean {
  return !ui || ui.visibility.includes("app");
}

export const appMimeType = "text/html;profile=mcp-app";
/** Says to our own host what MCP Apps has no word for. */
const sameOriginKey = "dev.biplane/sameOrigin";

const everyone: readonly Visibility[] = Object.freeze(["model", "app"]);
const permissions = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

function checkedVisibility(name: string, visibility: readonly Visibility[]): readonly Visibility[] {
  const isGood =
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => everyone.includes(who));
  if (!isGood) throw invalid(name, 'visibility is a list of "model" and "app"');
  return everyone.filter((who) => visibility.includes(who));
}

function checkedCsp(name: string, csp: AppCsp): JsonObject {
  const unknown = Object.keys(csp).find((key) => !Object.hasOwn(cspLists, key));
  if (unknown !== undefined) throw invalid(name, `csp has no ${unknown}; it has ${Object.keys(cspLists).join(", ")}`);
  for (const [list, schemes] of Object.entries(cspLists)) {
    for (const source of csp[list as keyof AppCsp] ?? []) {
      const why = whyNoSource(source, schemes);
      if (why !== undefined) throw invalid(name, `${shown(source)} in csp.${list} cannot be used: ${why}`);
    }
  }
  return structuredClone(csp) as JsonObject;
}

/** MCP Apps writes them as objects that are empty. */
function checkedPermissions(name: string, given: readonly AppPermission[]): JsonObject {
  if (!Array.isArray(given)) throw invalid(name, `permissions is a list, such as ["${permissions[0]}"]`);
  const unknown = given.find((each) => !permissions.includes(each));
  if (unknown !== undefined)
    throw invalid(name, `${shown(unknown)} is no permission; there are ${permissions.join(", ")}`);
  return Object.fromEntries(given.map((each) => [each, {}]));
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function invalid(name: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `app ${JSON.stringify(name)}: ${why}`);
}

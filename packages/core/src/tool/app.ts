import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import { loadAppPage } from "./app-page.ts";
import type { PageSource } from "./app-page.ts";
import { cspLists, cspSourceProblem } from "./csp-source.ts";
import { appPermissions, everyone, sameOriginKey } from "./mcp-apps.ts";
import type { AppCsp, AppPermission, Visibility } from "./mcp-apps.ts";
import type { JsonObject } from "./schema.ts";
import { isRecord } from "../is-record.ts";

/** An interactive page that hosts show next to a tool's result. Several tools can share one. */
export interface App {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** `ui://<name>@<hash>`. Hosts cache pages by URI, so changed content needs a new one. */
  readonly uri: string;
  readonly html: string;
  readonly visibility: readonly Visibility[];
  /** The `_meta` of MCP Apps. */
  readonly meta: JsonObject;
}

export type AppOptions = PageSource & {
  /** Part of the URI (default: the file name). */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** What the page may load and connect to (default: nothing). */
  readonly csp?: AppCsp;
  readonly permissions?: readonly AppPermission[];
  /** Who may call the tool (default: both). */
  readonly visibility?: readonly Visibility[];
  /** A dedicated origin for this page, in the host's own format. */
  readonly domain?: string;
  readonly prefersBorder?: boolean;
  /** Requests an origin with storage, in hosts that support it. */
  readonly sameOrigin?: boolean;
};

/** The app settings of a tool. */
export interface ToolUi {
  /** URI of its page. */
  readonly uri?: string;
  readonly visibility: readonly Visibility[];
  /** The page itself, if it is defined in this process. */
  readonly app?: App;
}

/** Defines a page from HTML, an HTML file, or a script to bundle. Throws if it cannot work. */
export function app(options: AppOptions): App {
  const { html, name: fileName } = loadAppPage(options);
  const { name = fileName, title, description, csp, prefersBorder, domain, sameOrigin } = options;
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
    throw invalid(name, "its name must be 1 to 64 lower-case letters, digits, dots, underscores or hyphens.");
  if (domain !== undefined && cspSourceProblem(`https://${domain}`, ["https"]) !== undefined)
    throw invalid(name, `${shown(domain)} is not a domain.`);
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

/** Normalizes a tool's `ui` option. */
export function toolUi(name: string, given: App | { readonly visibility: readonly Visibility[] }): ToolUi {
  const visibility = checkedVisibility(name, given.visibility);
  return Object.freeze("uri" in given ? { uri: given.uri, visibility, app: given } : { visibility });
}

/** Reads the untrusted metadata of another server's tool. Undefined if it has none for apps. */
export function foreignUi(meta: JsonObject | undefined): ToolUi | undefined {
  const { ui, "ui/resourceUri": old } = (meta ?? {}) as { ui?: unknown; "ui/resourceUri"?: unknown };
  const { resourceUri = old, visibility } = isRecord(ui) ? ui : {};
  const isPage = typeof resourceUri === "string" && resourceUri.startsWith("ui://");
  if (!isPage && !Array.isArray(visibility)) return undefined;
  const known = Array.isArray(visibility) ? everyone.filter((who) => visibility.includes(who)) : everyone;
  return { ...(isPage && { uri: resourceUri }), visibility: known };
}

/** The tool metadata of MCP Apps, with the key that older hosts read. */
export function uiMeta({ uri, visibility }: ToolUi): JsonObject {
  const isForAll = visibility.length === everyone.length;
  const ui = { ...(uri !== undefined && { resourceUri: uri }), ...(!isForAll && { visibility }) };
  return { ui, ...(uri !== undefined && { "ui/resourceUri": uri }) };
}

/** Whether models may see the tool. */
export function isForModel({ ui }: { readonly ui?: ToolUi | undefined }): boolean {
  return !ui || ui.visibility.includes("model");
}

/** Whether app pages may call the tool. */
export function isForApps({ ui }: { readonly ui?: ToolUi | undefined }): boolean {
  return !ui || ui.visibility.includes("app");
}

function checkedVisibility(name: string, visibility: readonly Visibility[]): readonly Visibility[] {
  const isGood =
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => everyone.includes(who));
  if (!isGood) throw invalid(name, 'visibility must be a list of "model" and "app".');
  return everyone.filter((who) => visibility.includes(who));
}

function checkedCsp(name: string, csp: AppCsp): JsonObject {
  const unknown = Object.keys(csp).find((key) => !Object.hasOwn(cspLists, key));
  if (unknown !== undefined)
    throw invalid(name, `csp has no key ${unknown}. Known keys: ${Object.keys(cspLists).join(", ")}.`);
  for (const [list, schemes] of Object.entries(cspLists)) {
    for (const source of csp[list as keyof AppCsp] ?? []) {
      const why = cspSourceProblem(source, schemes);
      if (why !== undefined) throw invalid(name, `${shown(source)} in csp.${list} cannot be used: ${why}.`);
    }
  }
  return structuredClone(csp) as JsonObject;
}

/** MCP Apps represents each permission as an empty object. */
function checkedPermissions(name: string, given: readonly AppPermission[]): JsonObject {
  if (!Array.isArray(given)) throw invalid(name, `permissions must be a list, such as ["${appPermissions[0]}"].`);
  const unknown = given.find((each) => !appPermissions.includes(each));
  if (unknown !== undefined)
    throw invalid(name, `${shown(unknown)} is not a permission. Known permissions: ${appPermissions.join(", ")}.`);
  return Object.fromEntries(given.map((each) => [each, {}]));
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function invalid(name: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `App ${JSON.stringify(name)}: ${why}`);
}

import { app } from "../tool/app.ts";
import type { App } from "../tool/app.ts";
import type { AppPermission, Visibility } from "../tool/mcp-apps.ts";

/** The built-in apps. */
export type BuiltInAppName = "approvals" | "connect-four" | "frozen-lake" | "lunar-lander" | "table";

export interface BuiltInAppOptions {
  readonly title?: string;
  readonly description?: string;
  /** Who may call the tool (default: both). */
  readonly visibility?: readonly Visibility[];
  readonly prefersBorder?: boolean;
}

/** Returns a built-in app. Equal options return the same app, so that several tools can share it. */
export function builtInApp(name: BuiltInAppName, options: BuiltInAppOptions = {}): App {
  const { title, description, visibility, prefersBorder } = options;
  const key = JSON.stringify([name, title, description, visibility, prefersBorder]);
  let made = apps.get(key);
  if (!made) apps.set(key, (made = app({ name, html: pageOf(name), ...defaults[name], ...options })));
  return made;
}

/** Shows a tool's result as a table and a chart: `{ columns, rows }`, or a list of objects. */
export function tableApp(options: BuiltInAppOptions = {}): App {
  return builtInApp("table", options);
}

interface Defaults {
  readonly title: string;
  readonly description: string;
  readonly permissions?: readonly AppPermission[];
}

const defaults: Readonly<Record<BuiltInAppName, Defaults>> = {
  approvals: { title: "Approvals", description: "Calls that wait for approval, and earlier ones" },
  "connect-four": { title: "Connect four", description: "The board of connect four" },
  "frozen-lake": { title: "Frozen lake", description: "The map of the frozen lake" },
  "lunar-lander": { title: "Lunar lander", description: "The craft over the ground" },
  table: { title: "Table", description: "Rows to sort, filter, chart and copy", permissions: ["clipboardWrite"] },
};

const apps = new Map<string, App>();
const pages = new Map<BuiltInAppName, string>();

function pageOf(name: BuiltInAppName): string {
  const known = pages.get(name);
  if (known !== undefined) return known;
  const { html } = app(sourceOf(name));
  pages.set(name, html);
  return html;
}

/** The build bundles each page into one file. From source, it is bundled on first use. */
function sourceOf(name: BuiltInAppName): { entry: URL } | { file: URL } {
  return import.meta.url.endsWith(".ts")
    ? { entry: new URL(`./browser/views/${name}/main.ts`, import.meta.url) }
    : { file: new URL(`./views/${name}.html`, import.meta.url) };
}

import { app } from "../tool/app.ts";
import type { App, AppPermission, Visibility } from "../tool/app.ts";

/** The apps that come with Biplane. */
export type BuiltInAppName = "approvals" | "connect-four" | "frozen-lake" | "table";

export interface BuiltInAppOptions {
  readonly title?: string;
  readonly description?: string;
  /** Who may call the tool that has the app: both, unless said. */
  readonly visibility?: readonly Visibility[];
  readonly prefersBorder?: boolean;
}

/**
 * One of the apps that come with Biplane. Its page is made, or read, when the first tool asks for it, and kept: whoever
 * asks for the same gets the same, so that any number of tools of a server can have it.
 */
export function builtInApp(name: BuiltInAppName, options: BuiltInAppOptions = {}): App {
  const { title, description, visibility, prefersBorder } = options;
  const key = JSON.stringify([name, title, description, visibility, prefersBorder]);
  let made = apps.get(key);
  if (!made) apps.set(key, (made = app({ name, html: pageOf(name), ...facts[name], ...options })));
  return made;
}

/** Shows what a tool answers as a table and a chart: `{ columns, rows }`, or a list of objects. */
export function tableApp(options: BuiltInAppOptions = {}): App {
  return builtInApp("table", options);
}

interface Facts {
  readonly title: string;
  readonly description: string;
  readonly permissions?: readonly AppPermission[];
}

const facts: Readonly<Record<BuiltInAppName, Facts>> = {
  approvals: { title: "Approvals", description: "Calls that wait for a person, and what became of them" },
  "connect-four": { title: "Connect four", description: "A board to drop pieces into" },
  "frozen-lake": { title: "Frozen lake", description: "A lake to walk over" },
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

/** The build makes one file of each page; from source that is done on the way. */
function sourceOf(name: BuiltInAppName): { entry: URL } | { file: URL } {
  return import.meta.url.endsWith(".ts")
    ? { entry: new URL(`./browser/views/${name}/main.ts`, import.meta.url) }
    : { file: new URL(`./apps/${name}.html`, import.meta.url) };
}

import { appMimeType } from "../tool/mcp-apps.ts";
import type { App } from "../tool/app.ts";
import { resource } from "./resource.ts";
import type { Resource } from "./resource.ts";

/** The resource for an app's page. Each app has one, so several tools can share it. */
export function appResource(app: App): Resource {
  let made = resources.get(app);
  if (!made) resources.set(app, (made = make(app)));
  return made;
}

/** Whether a resource was made by `appResource`, as opposed to another server's resource at the same URI. */
export function isAppResource(resource: Resource): boolean {
  return pages.has(resource);
}

const resources = new WeakMap<App, Resource>();
const pages = new WeakSet<Resource>();

function make(app: App): Resource {
  const { name, title, description, uri, html, meta } = app;
  const contentMeta = Object.keys(meta).length > 0 ? { _meta: meta } : {};
  const page = resource({
    name,
    uri,
    mimeType: appMimeType,
    size: Buffer.byteLength(html),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(Object.keys(meta).length > 0 && { meta }),
    read: () => ({ uri, mimeType: appMimeType, text: html, ...contentMeta }),
  });
  pages.add(page);
  return page;
}

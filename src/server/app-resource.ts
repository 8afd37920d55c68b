import { appMimeType } from "../tool/app.ts";
import type { App } from "../tool/app.ts";
import { resource } from "./resource.ts";
import type { Resource } from "./resource.ts";

/** The page of an app as a resource: the same one each time, so that several tools can share it. */
export function appResource(app: App): Resource {
  let made = resources.get(app);
  if (!made) resources.set(app, (made = make(app)));
  return made;
}

const resources = new WeakMap<App, Resource>();

function make(app: App): Resource {
  const { name, title, description, uri, html, meta } = app;
  const said = Object.keys(meta).length > 0 ? { _meta: meta } : {};
  return resource({
    name,
    uri,
    mimeType: appMimeType,
    size: Buffer.byteLength(html),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(Object.keys(meta).length > 0 && { meta }),
    read: () => ({ uri, mimeType: appMimeType, text: html, ...said }),
  });
}

import { BiplaneError } from "../errors.ts";
import { uiMeta } from "../tool/app.ts";
import type { App } from "../tool/app.ts";
import { appMimeType } from "../tool/mcp-apps.ts";
import type { JsonObject } from "../tool/schema.ts";

/** An entry of `resources/list`. */
export interface ListedApp {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  readonly _meta?: JsonObject;
}

/** The result of `resources/read`. */
export interface AppContents {
  readonly contents: readonly [
    { readonly uri: string; readonly mimeType: string; readonly text: string; readonly _meta?: JsonObject },
  ];
}

/** Apps by URI, for MCP servers that are not Biplane's: what they list, and what they answer when a host reads one. */
export class AppRegistry {
  readonly #apps = new Map<string, App>();

  /** Adds an app and returns its URI (default: the app's own, which changes with its content). */
  add(app: App, { uri = app.uri }: { readonly uri?: string } = {}): string {
    if (!uri.startsWith("ui://"))
      throw new BiplaneError("INVALID_DEFINITION", `The URI of an app must begin with ui://, not ${uri}.`);
    const other = this.#apps.get(uri);
    if (other && other !== app)
      throw new BiplaneError("INVALID_DEFINITION", `Two apps have the URI ${uri}. Give one of them another.`);
    this.#apps.set(uri, app);
    return uri;
  }

  get(uri: string): App | undefined {
    return this.#apps.get(uri);
  }

  /** For `resources/list`. */
  list(): readonly ListedApp[] {
    return Array.from(this.#apps, ([uri, { name, title, description, html, meta }]) => ({
      uri,
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      mimeType: appMimeType,
      size: Buffer.byteLength(html),
      ...metaOf(meta),
    }));
  }

  /** For `resources/read`. Undefined if no app has this URI. */
  read(uri: string): AppContents | undefined {
    const found = this.#apps.get(uri);
    return found && { contents: [{ uri, mimeType: appMimeType, text: found.html, ...metaOf(found.meta) }] };
  }

  /** The `_meta` of a tool that shows the app. */
  toolMeta(uri: string): JsonObject {
    const found = this.#apps.get(uri);
    if (!found) throw new BiplaneError("INVALID_INPUT", `No app has the URI ${uri}. Add it first.`);
    return uiMeta({ uri, visibility: found.visibility });
  }
}

function metaOf(meta: JsonObject): { readonly _meta?: JsonObject } {
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

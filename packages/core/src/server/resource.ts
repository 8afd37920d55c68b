import { checkOptions } from "../tool/check-options.ts";
import type { OptionNames } from "../tool/check-options.ts";
import { BiplaneError } from "../errors.ts";
import type { Call } from "../tool/call.ts";
import type { ResourceBlob, ResourceText } from "../tool/content.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { Icon } from "../tool/icon.ts";
import { compileTemplate } from "./uri-template.ts";
import type { UriTemplate } from "./uri-template.ts";

/** Something to read by URI, or by a URI template such as `notes://{id}`. */
export interface Resource {
  readonly name: string;
  readonly uri: string | undefined;
  readonly template: UriTemplate | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  readonly size: number | undefined;
  readonly icons: readonly Icon[] | undefined;
  readonly meta: JsonObject | undefined;
  readonly read: (
    parameters: Readonly<Record<string, string>>,
    call: Call,
    uri: string,
  ) => Readable | Promise<Readable>;
  readonly complete: Readonly<Record<string, Completer>>;
  /** Called when a client subscribes to changes. */
  readonly watch?: (uri: string) => void;
  /** Further fields from another server, passed on unchanged. */
  readonly more?: JsonObject;
  /** False for what clients find in another way, such as the files of a skill. */
  readonly isListed?: boolean;
}

/** What `read` may return: text, bytes, or contents with their own URIs. */
export type Readable = string | Uint8Array | ResourceText | ResourceBlob | readonly (ResourceText | ResourceBlob)[];

/** Suggests values for an argument, given the typed prefix and the other arguments. */
export type Completer = (
  typed: string,
  others: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

export interface ResourceOptions {
  readonly name: string;
  /** A URI, or a template with `{variables}`. */
  readonly uri: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
  readonly meta?: JsonObject;
  readonly read: Resource["read"];
  /** Completers for the template's variables. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

/** Defines a resource. */
export function resource(options: ResourceOptions): Resource {
  checkOptions(`Resource ${JSON.stringify(options.name)}`, options, resourceOptionNames);
  const { name, uri, title, description, mimeType, size, icons, meta, read, complete = {} } = options;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new BiplaneError("INVALID_DEFINITION", `Resource ${JSON.stringify(name)}: ${uri} is not a URI.`);
  }
  const template = uri.includes("{") ? compileTemplate(uri) : undefined;
  const exact = template ? undefined : uri;
  return Object.freeze({ name, uri: exact, template, title, description, mimeType, size, icons, meta, read, complete });
}

const resourceOptionNames: OptionNames<ResourceOptions> = {
  name: true,
  uri: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  icons: true,
  meta: true,
  read: true,
  complete: true,
};

/** Converts what was read to MCP contents. */
export function contentsOf(read: Readable, uri: string, mimeType: string | undefined): (ResourceText | ResourceBlob)[] {
  const type = mimeType === undefined ? {} : { mimeType };
  if (typeof read === "string") return [{ uri, ...type, text: read }];
  if (read instanceof Uint8Array) return [{ uri, ...type, blob: Buffer.from(read).toString("base64") }];
  const contents = isList(read) ? read : [read];
  return contents.map((content) => ({ ...type, ...content }));
}

function isList(read: Readable): read is readonly (ResourceText | ResourceBlob)[] {
  return Array.isArray(read);
}

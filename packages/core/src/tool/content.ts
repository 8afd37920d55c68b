import type { Icon } from "./icon.ts";

/** A content block of MCP. */
export type Content = TextContent | ImageContent | AudioContent | ResourceContent | LinkContent;

export interface TextContent extends Annotated {
  readonly type: "text";
  readonly text: string;
}
export interface ImageContent extends Annotated {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}
export interface AudioContent extends Annotated {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}
export interface ResourceContent extends Annotated {
  readonly type: "resource";
  readonly resource: ResourceText | ResourceBlob;
}
export interface LinkContent extends Annotated {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  readonly icons?: readonly Icon[] | undefined;
}
export interface ResourceText {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}
export interface ResourceBlob {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly blob: string;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}
interface Annotated {
  readonly annotations?:
    | {
        readonly audience?: readonly ("user" | "assistant")[] | undefined;
        readonly priority?: number | undefined;
        readonly lastModified?: string | undefined;
      }
    | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A part of a result: text. */
export const text = (text: string): TextContent => ({ type: "text", text });
/** A part of a result: a resource with its contents. */
export const embedded = (resource: ResourceText | ResourceBlob): ResourceContent => ({ type: "resource", resource });
/** A part of a result: a link to a resource that the client can read. */
export const link = (target: Omit<LinkContent, "type">): LinkContent => ({ type: "resource_link", ...target });

/** A result with explicit content blocks and an optional structured value. */
export interface Reply {
  readonly [replyMark]: true;
  readonly content: readonly Content[];
  readonly structured?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Further fields from another server, passed on unchanged. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Builds a result from content blocks. A plain value returned from `run` needs no `reply`. */
export function reply(
  content: Content | readonly Content[],
  options: Pick<Reply, "structured" | "meta" | "more"> = {},
): Reply {
  return { [replyMark]: true, content: Array.isArray(content) ? content : [content as Content], ...options };
}

export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && replyMark in value;
}

/** Content blocks for any result: strings as text, undefined as nothing, other values as JSON. */
export function contentOf(value: unknown): readonly Content[] {
  if (isReply(value)) return value.content;
  if (value === undefined) return [];
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (shown === undefined) throw new TypeError(`a ${typeof value} has no JSON form`);
  return [text(shown)];
}

const replyMark: unique symbol = Symbol("biplane.reply");

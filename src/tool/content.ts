/** A part of an answer that a person or a model can look at, in MCP's own shape. */
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
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}
export interface ResourceText {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
export interface ResourceBlob {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
interface Annotated {
  readonly annotations?: {
    readonly audience?: readonly ("user" | "assistant")[];
    readonly priority?: number;
    readonly lastModified?: string;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export const text = (text: string): TextContent => ({ type: "text", text });
export const image = (data: Uint8Array | string, mimeType: string): ImageContent => ({
  type: "image",
  data: base64(data),
  mimeType,
});
export const audio = (data: Uint8Array | string, mimeType: string): AudioContent => ({
  type: "audio",
  data: base64(data),
  mimeType,
});
export const embedded = (resource: ResourceText | ResourceBlob): ResourceContent => ({ type: "resource", resource });
export const link = (target: Omit<LinkContent, "type">): LinkContent => ({ type: "resource_link", ...target });

/** An answer put together by hand: what to show, and beside it, if wanted, the value for programs. */
export interface Reply {
  readonly [replyMark]: true;
  readonly content: readonly Content[];
  readonly structured?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Further members of the result, as another server sent them. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Makes an answer of one or more content parts. A plain string or value returned from `run` needs no `reply`. */
export function reply(
  content: Content | readonly Content[],
  options: Pick<Reply, "structured" | "meta" | "more"> = {},
): Reply {
  return { [replyMark]: true, content: Array.isArray(content) ? content : [content as Content], ...options };
}

export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && replyMark in value;
}

/** Any value a tool returned, as content: a string is itself, nothing is nothing, the rest is its JSON. */
export function contentOf(value: unknown): readonly Content[] {
  if (isReply(value)) return value.content;
  if (value === undefined) return [];
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (shown === undefined) throw new TypeError(`${typeof value} has no JSON`);
  return [text(shown)];
}

const replyMark: unique symbol = Symbol("biplane.reply");

/** Strings are taken as base64 already. */
function base64(data: Uint8Array | string): string {
  return typeof data === "string"
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}

import type { Params } from "../../../protocol/rpc.ts";

/** A part of a message or result that a person or a model can look at, exactly as MCP writes it. */
export type Block = TextBlock | ImageBlock | AudioBlock | ResourceBlock | LinkBlock;

export interface TextBlock extends Annotated {
  readonly type: "text";
  readonly text: string;
}
export interface ImageBlock extends Annotated {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}
export interface AudioBlock extends Annotated {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}
export interface ResourceBlock extends Annotated {
  readonly type: "resource";
  readonly resource: ResourceText | ResourceBlob;
}
export interface LinkBlock extends Annotated {
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
  readonly _meta?: Params | undefined;
}
export interface ResourceBlob {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly blob: string;
  readonly _meta?: Params | undefined;
}

export interface Icon {
  readonly src: string;
  readonly mimeType?: string | undefined;
  readonly sizes?: readonly string[] | undefined;
  readonly theme?: "light" | "dark" | undefined;
}

interface Annotated {
  readonly annotations?:
    | {
        readonly audience?: readonly ("user" | "assistant")[] | undefined;
        readonly priority?: number | undefined;
        readonly lastModified?: string | undefined;
      }
    | undefined;
  readonly _meta?: Params | undefined;
}

/** What a tool call came to. `content` is for the model, `structuredContent` for the page, `_meta` for neither's eyes. */
export interface ToolResult<Structured = unknown> {
  readonly content: readonly Block[];
  readonly structuredContent?: Structured;
  /** The tool's own failure; `content` says what. */
  readonly isError?: boolean | undefined;
  readonly _meta?: Params | undefined;
  readonly [key: string]: unknown;
}

export interface ReadResult {
  readonly contents: readonly (ResourceText | ResourceBlob)[];
  readonly _meta?: Params | undefined;
  readonly [key: string]: unknown;
}

/** A tool as its server lists it. */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  readonly outputSchema?: Params | undefined;
  readonly annotations?:
    | {
        readonly title?: string | undefined;
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
        readonly openWorldHint?: boolean | undefined;
      }
    | undefined;
  readonly execution?: { readonly taskSupport?: "optional" | "required" | "forbidden" | undefined } | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly _meta?: Params | undefined;
}

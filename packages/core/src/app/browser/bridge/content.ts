import type { Content, ResourceBlob, ResourceText } from "../../../tool/content.ts";
import type { Icon } from "../../../tool/icon.ts";
import type { Params } from "../../../protocol/rpc.ts";

/** A tool result: `content` is for the model, `structuredContent` for the page, `_meta` for programs. */
export interface AppToolResult<Structured = unknown> {
  readonly content: readonly Content[];
  readonly structuredContent?: Structured;
  /** True if the tool failed; `content` has the message. */
  readonly isError?: boolean | undefined;
  readonly _meta?: Params | undefined;
  readonly [key: string]: unknown;
}

export interface AppReadResult {
  readonly contents: readonly (ResourceText | ResourceBlob)[];
  readonly _meta?: Params | undefined;
  readonly [key: string]: unknown;
}

/** A tool as listed by its server. */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Params;
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

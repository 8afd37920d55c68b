import { BiplaneError } from "../../../errors.ts";
import type { ResourceUiMeta } from "../bridge/capabilities.ts";
import { appMimeType, sameOriginKey } from "../../../tool/mcp-apps.ts";
import { readResourceUi } from "../bridge/read-meta.ts";
import { isRecord } from "../../../is-record.ts";

/** The page of an app and its metadata. */
export interface AppResource extends ResourceUiMeta {
  readonly uri: string;
  readonly html: string;
  /** True if it requests its own origin, with storage. */
  readonly sameOrigin: boolean;
}

/** Extracts the app from a `resources/read` result. Fields of the content override those of `listed`. */
export function resourceOf(read: { readonly contents: readonly unknown[] }, listed?: unknown): AppResource {
  const contents = read.contents.filter(isRecord);
  const content = contents.find(({ mimeType }) => isApp(mimeType)) ?? contents[0];
  const uri = content?.["uri"];
  if (!content || typeof uri !== "string") throw wrong("The result", "it has no content with a URI");
  if (!uri.startsWith("ui://")) throw wrong(uri, "its URI does not begin with ui://");
  const mimeType = content["mimeType"] ?? (isRecord(listed) ? listed["mimeType"] : undefined);
  if (!isApp(mimeType)) throw wrong(uri, `its type is ${JSON.stringify(mimeType) ?? "missing"}, not ${appMimeType}`);
  const meta = content["_meta"];
  const listedMeta = isRecord(listed) ? listed["_meta"] : undefined;
  return {
    ...readResourceUi(meta, listedMeta),
    uri,
    html: htmlOf(uri, content),
    sameOrigin: [meta, listedMeta].some((each) => isRecord(each) && each[sameOriginKey] === true),
  };
}

/** Ignores case and spaces. */
function isApp(mimeType: unknown): boolean {
  return typeof mimeType === "string" && mimeType.toLowerCase().replaceAll(/\s/g, "") === appMimeType;
}

function htmlOf(uri: string, { text, blob }: { readonly text?: unknown; readonly blob?: unknown }): string {
  if (typeof text === "string") return text;
  if (typeof blob !== "string") throw wrong(uri, "it has neither text nor blob");
  try {
    const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw wrong(uri, "its blob is not base64-encoded UTF-8", error);
  }
}

function wrong(what: string, why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${what} cannot be shown as an app: ${why}.`, { cause });
}

import { BiplaneError } from "../../../errors.ts";
import type { ResourceUi } from "../bridge/capabilities.ts";
import { appMimeType } from "../bridge/methods.ts";
import { readResourceUi } from "../bridge/read-meta.ts";
import { isRecord } from "../bridge/rpc.ts";

/** The page of an app, as its server gave it, with what the server asks for it. */
export interface AppResource extends ResourceUi {
  readonly uri: string;
  readonly html: string;
  /** Whether it asks for an origin of its own, with storage. */
  readonly sameOrigin: boolean;
}

/**
 * The page in what `resources/read` answered. What is said of the content wins over what the listing said of it, where
 * there is one.
 */
export function resourceOf(read: { readonly contents: readonly unknown[] }, listed?: unknown): AppResource {
  const contents = read.contents.filter(isRecord);
  const content = contents.find(({ mimeType }) => isApp(mimeType)) ?? contents[0];
  const uri = content?.["uri"];
  if (!content || typeof uri !== "string") throw wrong("the answer", "has no content with an address");
  if (!uri.startsWith("ui://")) throw wrong(uri, "its address does not begin with ui://");
  const mimeType = content["mimeType"] ?? (isRecord(listed) ? listed["mimeType"] : undefined);
  if (!isApp(mimeType)) throw wrong(uri, `it is ${JSON.stringify(mimeType) ?? "of no type"} and not ${appMimeType}`);
  const meta = content["_meta"];
  const listedMeta = isRecord(listed) ? listed["_meta"] : undefined;
  return {
    ...readResourceUi(meta, listedMeta),
    uri,
    html: htmlOf(uri, content),
    sameOrigin: [meta, listedMeta].some((each) => isRecord(each) && each[sameOriginKey] === true),
  };
}

/** What MCP Apps has no word for; our own servers say it so. */
const sameOriginKey = "dev.biplane/sameOrigin";

/** Spaces around the semicolon and capitals say the same thing. */
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
    throw wrong(uri, "its blob is no UTF-8 in base64", error);
  }
}

function wrong(what: string, why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${what} cannot be shown as an app: ${why}`, { cause });
}

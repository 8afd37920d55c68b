import type { Params } from "../../../protocol/rpc.ts";
import type { Block, ResourceBlob, ResourceText } from "./content.ts";
import { optionalRecord, optionalText, present, record, text, wrong } from "./fields.ts";
import { isRecord } from "./rpc.ts";

/** Content of a message or model context, from a page that may send anything: one block or a list of them. */
export function readBlocks(value: unknown, key: string): readonly Block[] {
  const blocks: readonly unknown[] = Array.isArray(value) ? value : [value];
  return blocks.map((block) => readBlock(block, key));
}

function readBlock(block: unknown, key: string): Block {
  if (!isRecord(block)) throw wrong(key, "content blocks");
  const type = text(block, "type");
  const annotated = { annotations: optionalRecord(block, "annotations"), _meta: optionalRecord(block, "_meta") };
  switch (type) {
    case "text":
      return present({ type, text: text(block, "text"), ...annotated });
    case "image":
    case "audio":
      return present({ type, data: text(block, "data"), mimeType: text(block, "mimeType"), ...annotated });
    case "resource":
      return present({ type, resource: readResource(record(block, "resource")), ...annotated });
    case "resource_link":
      return present({
        type,
        uri: text(block, "uri"),
        name: text(block, "name"),
        title: optionalText(block, "title"),
        description: optionalText(block, "description"),
        mimeType: optionalText(block, "mimeType"),
        ...annotated,
      });
    default:
      throw wrong("type", "one of text, image, audio, resource, resource_link");
  }
}

function readResource(resource: Params): ResourceText | ResourceBlob {
  const uri = text(resource, "uri");
  const known = { uri, mimeType: optionalText(resource, "mimeType"), _meta: optionalRecord(resource, "_meta") };
  if (resource["blob"] === undefined) return present({ ...known, text: text(resource, "text") });
  return present({ ...known, blob: text(resource, "blob") });
}

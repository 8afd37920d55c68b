import type { Params } from "../../../protocol/rpc.ts";
import type { Content, ResourceBlob, ResourceText } from "../../../tool/content.ts";
import { optionalObjectField, optionalStringField, present, objectField, stringField, fieldError } from "./fields.ts";
import { isRecord } from "../../../is-record.ts";

/** Reads untrusted content of a message or model context: one part or a list. */
export function readContent(value: unknown, key: string): readonly Content[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts.map((part) => readPart(part, key));
}

function readPart(part: unknown, key: string): Content {
  if (!isRecord(part)) throw fieldError(key, "content blocks");
  const type = stringField(part, "type");
  const annotated = {
    annotations: optionalObjectField(part, "annotations"),
    _meta: optionalObjectField(part, "_meta"),
  };
  switch (type) {
    case "text":
      return present({ type, text: stringField(part, "text"), ...annotated });
    case "image":
    case "audio":
      return present({ type, data: stringField(part, "data"), mimeType: stringField(part, "mimeType"), ...annotated });
    case "resource":
      return present({ type, resource: readResource(objectField(part, "resource")), ...annotated });
    case "resource_link":
      return present({
        type,
        uri: stringField(part, "uri"),
        name: stringField(part, "name"),
        title: optionalStringField(part, "title"),
        description: optionalStringField(part, "description"),
        mimeType: optionalStringField(part, "mimeType"),
        ...annotated,
      });
    default:
      throw fieldError("type", "one of text, image, audio, resource, resource_link");
  }
}

function readResource(resource: Params): ResourceText | ResourceBlob {
  const uri = stringField(resource, "uri");
  const known = {
    uri,
    mimeType: optionalStringField(resource, "mimeType"),
    _meta: optionalObjectField(resource, "_meta"),
  };
  if (resource["blob"] === undefined) return present({ ...known, text: stringField(resource, "text") });
  return present({ ...known, blob: stringField(resource, "blob") });
}

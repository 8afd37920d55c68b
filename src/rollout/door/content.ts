import { isObject } from "../../protocol/rpc.ts";
import type { Content } from "../../tool/content.ts";
import type { ContentPart } from "../message.ts";
import { pythonToolText } from "../python/text.ts";
import type { TextStyle } from "../template.ts";

/**
 * What a model reads of an observation: its text, and beside it the pictures. An observation may hold one in
 * `image_url`, as Eval Protocol's do, and the answer of a tool any number.
 */
export function contentForModel(
  observation: unknown,
  options: { style: TextStyle; pictures?: readonly ContentPart[] },
): string | readonly ContentPart[] {
  const { rest, picture } = splitPicture(observation);
  const pictures = [...(picture ? [picture] : []), ...(options.pictures ?? [])];
  const text = showObservation(rest, options.style);
  return pictures.length === 0 ? text : [{ type: "text", text }, ...pictures];
}

/** An observation as text. */
function showObservation(observation: unknown, style: TextStyle): string {
  if (style === "python") return pythonToolText(observation);
  return typeof observation === "string" ? observation : (JSON.stringify(observation) ?? "");
}

/** Takes the picture out of an observation that has one. */
export function splitPicture(observation: unknown): { rest: unknown; picture: ContentPart | undefined } {
  const image = isObject(observation) ? observation["image_url"] : undefined;
  if (!isObject(observation) || !isObject(image) || typeof image["url"] !== "string")
    return { rest: observation, picture: undefined };
  const { image_url: _, ...rest } = observation;
  return { rest, picture: { type: "image_url", image_url: { ...image, url: image["url"] } } };
}

/** The pictures among a tool's content. */
export function picturesIn(content: readonly Content[]): ContentPart[] {
  return content.flatMap((part) =>
    part.type === "image"
      ? [{ type: "image_url" as const, image_url: { url: `data:${part.mimeType};base64,${part.data}` } }]
      : [],
  );
}

import type { Content } from "@biplane/core";
import type { ContentPart } from "./message.ts";
import { pythonToolText } from "./python/text.ts";
import type { TextStyle } from "./template.ts";
import { isRecord } from "@biplane/core/internal";

/**
 * Converts an observation into message content. Images come from its `image_url`, as in Eval Protocol, and from the
 * tool's result.
 */
export function contentForModel(
  observation: unknown,
  options: { style: TextStyle; images?: readonly ContentPart[] },
): string | readonly ContentPart[] {
  const { rest, image } = splitImage(observation);
  const images = [...(image ? [image] : []), ...(options.images ?? [])];
  const text = showObservation(rest, options.style);
  return images.length === 0 ? text : [{ type: "text", text }, ...images];
}

function showObservation(observation: unknown, style: TextStyle): string {
  if (style === "python") return pythonToolText(observation);
  return typeof observation === "string" ? observation : (JSON.stringify(observation) ?? "");
}

/** Separates the `image_url` from an observation. */
export function splitImage(observation: unknown): { rest: unknown; image: ContentPart | undefined } {
  const source = isRecord(observation) ? observation["image_url"] : undefined;
  if (!isRecord(observation) || !isRecord(source) || typeof source["url"] !== "string")
    return { rest: observation, image: undefined };
  const { image_url: _, ...rest } = observation;
  return { rest, image: { type: "image_url", image_url: { ...source, url: source["url"] } } };
}

/** The images in a tool's content. */
export function imagesIn(content: readonly Content[]): ContentPart[] {
  return content.flatMap((part) =>
    part.type === "image"
      ? [{ type: "image_url" as const, image_url: { url: `data:${part.mimeType};base64,${part.data}` } }]
      : [],
  );
}

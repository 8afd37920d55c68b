import type { JSX } from "preact";

/** An image from a data URL. Other URLs are never fetched. */
export function ImageView({ address, label }: { readonly address: string; readonly label: string }): JSX.Element {
  return (
    <div class="value-image">
      <img src={address} alt={label} />
    </div>
  );
}

/** True for data URLs of image types that cannot contain scripts. */
export function isImageData(text: string): boolean {
  return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(text);
}

/** The data URL of an MCP or chat content part, if it is an image. */
export function imageIn(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, data, mimeType, image_url: image } = part as Record<string, unknown>;
  const address =
    type === "image" && typeof data === "string" && typeof mimeType === "string"
      ? `data:${mimeType};base64,${data}`
      : (image as { url?: unknown } | undefined)?.url;
  return typeof address === "string" && isImageData(address) ? address : undefined;
}

import type { JSX } from "preact";

/** A picture that came as data. Whatever else an address may be is not fetched: it is shown as text by whoever asks. */
export function Picture({ address, label }: { readonly address: string; readonly label: string }): JSX.Element {
  return (
    <div class="seen-picture">
      <img src={address} alt={label} />
    </div>
  );
}

/** Whether this is the data of a picture that cannot be a program too. */
export function isPicture(text: string): boolean {
  return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(text);
}

/** A part of a result or of a message, if it is a picture: MCP's, or a chat's. */
export function pictureIn(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, data, mimeType, image_url: image } = part as Record<string, unknown>;
  const address =
    type === "image" && typeof data === "string" && typeof mimeType === "string"
      ? `data:${mimeType};base64,${data}`
      : (image as { url?: unknown } | undefined)?.url;
  return typeof address === "string" && isPicture(address) ? address : undefined;
}

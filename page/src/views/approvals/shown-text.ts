import { cutText, visiblePieces } from "../../components/visible-text.ts";

/** Untrusted text as a plain string, for toasts, titles and accessible names. */
export function shownText(value: string, maxLength = 80): string {
  const start = cutText(value, maxLength);
  const shown = visiblePieces(start)
    .map(({ text }) => text)
    .join("");
  return start.length < value.length ? `${shown}…` : shown;
}

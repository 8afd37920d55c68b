import { cutText, visiblePieces } from "../../components/visible-text.ts";

/** Text from outside for a place that takes only a string: a toast, a title, an accessible name. */
export function shownText(value: string, most = 80): string {
  const start = cutText(value, most);
  const shown = visiblePieces(start)
    .map(({ text }) => text)
    .join("");
  return start.length < value.length ? `${shown}…` : shown;
}

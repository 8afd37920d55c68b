import type { Schema } from "../../config/schema.ts";

/** What a setting does, in one line and without links: `Limits of one action: wall-clock time`. */
export function aboutSetting(schema: Schema, group?: Schema): string {
  const own = plain(schema.description);
  const above = plain(group?.description);
  if (own === "" || above === "") return own;
  return `${above}: ${own.slice(0, 1).toLowerCase()}${own.slice(1)}`;
}

/** Links of the descriptions lead to files of the documentation, which a page does not have. */
function plain(description = ""): string {
  return description.replace(/; see \[[^\]]*\]\([^)]*\)/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

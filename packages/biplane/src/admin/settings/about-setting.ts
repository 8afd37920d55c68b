import type { Schema } from "../../config/schema.ts";

/** What a setting does, in one line and without links: `Wall-clock time. Limits of one action`. */
export function aboutSetting(schema: Schema, group?: Schema): string {
  const own = plain(schema.description);
  const above = plain(group?.description);
  if (own === "" || above === "") return own;
  return `${own}. ${above}`;
}

/** Links of the descriptions lead to files of the documentation, which a page does not have. */
function plain(description = ""): string {
  return description.replace(/; see \[[^\]]*\]\([^)]*\)/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

import type { SettingsBody } from "../../../../packages/biplane/src/admin/settings/settings-api.ts";

export type Entry = SettingsBody["entries"][number] & {
  /** Of `policies`: how many rules are published in the store. */
  readonly published?: number;
};

export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Groups entries by the first part of their key. Keys with one part come first. */
export function sectionsOf(
  entries: readonly Entry[],
  wanted: { readonly query: string; readonly isConfiguredOnly: boolean },
): readonly Section[] {
  const query = wanted.query.toLowerCase();
  const sections = new Map<string, Entry[]>([[general, []]]);
  for (const entry of withPublished(entries)) {
    if (wanted.isConfiguredOnly && entry.isDefault) continue;
    if (query !== "" && !`${entry.key} ${JSON.stringify(entry.value)}`.toLowerCase().includes(query)) continue;
    const [, first] = /^([^.[]+)[.[]/.exec(entry.key) ?? [];
    const section = first === undefined ? general : titleOf(first);
    const others = sections.get(section);
    if (others) others.push(entry);
    else sections.set(section, [entry]);
  }
  return Array.from(sections, ([title, own]) => ({ title, entries: own })).filter((each) => each.entries.length > 0);
}

const general = "General";

function titleOf(part: string): string {
  return titles.get(part) ?? `${part.charAt(0).toUpperCase()}${part.slice(1)}`;
}

/** Sections whose key alone does not say what they are about. */
const titles = new Map([
  ["auth", "Authentication"],
  ["keep", "Retention"],
]);

/** Published rules are a part of the row of the rules in the file. */
function withPublished(entries: readonly Entry[]): readonly Entry[] {
  const stored = entries.find(({ key }) => key === publishedKey);
  if (!stored || !entries.some(({ key }) => key === "policies")) return entries;
  const published = Number.parseInt(String(stored.value), 10);
  return entries
    .filter((entry) => entry !== stored)
    .map((entry) =>
      entry.key !== "policies"
        ? entry
        : { ...entry, published, isDefault: false, ...(entry.isDefault && { origin: stored.origin }) },
    );
}

const publishedKey = "policies.published";

import type { SettingsBody } from "../../../../packages/biplane/src/admin/settings/settings-api.ts";

export type Entry = SettingsBody["entries"][number];

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
  for (const entry of entries) {
    if (wanted.isConfiguredOnly && entry.isDefault) continue;
    if (query !== "" && !`${entry.key} ${JSON.stringify(entry.value)}`.toLowerCase().includes(query)) continue;
    const [, section = general] = /^([^.[]+)[.[]/.exec(entry.key) ?? [];
    const others = sections.get(section);
    if (others) others.push(entry);
    else sections.set(section, [entry]);
  }
  return Array.from(sections, ([title, own]) => ({ title, entries: own })).filter((each) => each.entries.length > 0);
}

const general = "General";

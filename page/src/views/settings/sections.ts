import type { Settings } from "../../../../src/desk/contract.ts";

export type Entry = Settings["entries"][number];

export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Entries by the first part of their key; those that have only one part come first, together. */
export function sectionsOf(
  entries: readonly Entry[],
  wanted: { readonly query: string; readonly isSaidOnly: boolean },
): readonly Section[] {
  const query = wanted.query.toLowerCase();
  const sections = new Map<string, Entry[]>([[general, []]]);
  for (const entry of entries) {
    if (wanted.isSaidOnly && entry.isDefault) continue;
    if (query !== "" && !`${entry.key} ${JSON.stringify(entry.value)}`.toLowerCase().includes(query)) continue;
    const [, section = general] = /^([^.[]+)[.[]/.exec(entry.key) ?? [];
    const others = sections.get(section);
    if (others) others.push(entry);
    else sections.set(section, [entry]);
  }
  return Array.from(sections, ([title, own]) => ({ title, entries: own })).filter((each) => each.entries.length > 0);
}

const general = "General";

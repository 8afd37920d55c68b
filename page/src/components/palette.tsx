import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { SearchResult } from "../../../packages/biplane/src/admin/search/search-api.ts";
import { allowedViews } from "../access.ts";
import { relative } from "../format.ts";
import { useResource } from "../resource.ts";
import { go, href } from "../router.ts";
import { theme, themes } from "../theme.ts";
import { useModal } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { Text } from "./text.tsx";

interface Entry {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  readonly run: () => void;
}

/** Ctrl-K: opens a view, or finds tools, calls, runs, approvals, episodes and audit entries. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const { dialog, ...handlers } = useModal(onClose);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { entries, isSearching } = useEntries(query);
  useEffect(() => setAt(0), [query]);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  const select = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") select(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} {...handlers} class="palette" aria-label="Search">
      <div class="palette-box">
        <div class="palette-field">
          <Icon name="search" />
          <input
            autofocus
            role="combobox"
            aria-label="Search views, tools, calls, runs, approvals, episodes and audit"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={entries[at] && `${id}-${at}`}
            placeholder="Search tools, calls, runs, approvals…"
            value={query}
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={onKey}
          />
          {isSearching && <span class="spinner" aria-hidden="true" />}
          <kbd>esc</kbd>
        </div>
        <ul ref={list} id={id} class="palette-list" role="listbox" aria-label="Results">
          {entries.map((entry, index) => (
            <li
              key={entry.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              class={entry.group === entries[index - 1]?.group ? "palette-entry" : "palette-entry palette-first"}
              data-group={entry.group}
              onPointerMove={() => setAt(index)}
              onClick={() => select(entry)}
            >
              <Icon name={entry.icon} />
              <Text value={entry.title} maxLength={80} isFixed />
              <span class="muted grow end">
                <Text value={entry.about} maxLength={80} isFixed />
              </span>
            </li>
          ))}
        </ul>
        <p class={entries.length === 0 ? "palette-none muted" : "hidden"} role="status">
          {isSearching ? "Searching…" : entries.length === 0 ? "No matches." : `${entries.length} results`}
        </p>
      </div>
    </dialog>
  );
}

function useEntries(query: string): { readonly entries: readonly Entry[]; readonly isSearching: boolean } {
  const [typed, setTyped] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setTyped(query.trim()), 120);
    return () => clearTimeout(timer);
  }, [query]);
  const found = useResource("/api/search", typed.length < 2 ? undefined : { query: { query: typed } });
  const results = found.data?.results;
  const entries = useMemo(
    () => [...fixedEntries().filter((entry) => matches(entry, query)), ...(results ?? []).map(resultEntry)],
    [query, results],
  );
  return { entries, isSearching: query.trim().length >= 2 && (typed !== query.trim() || found.isLoading) };
}

function fixedEntries(): readonly Entry[] {
  return [
    ...allowedViews().map(({ route, title, key, group }) => ({
      id: route,
      group: "Views",
      title,
      icon: route,
      about: group === "" ? `g ${key}` : `${group} · g ${key}`,
      run: () => go(href(route)),
    })),
    ...themes.map((each) => ({
      id: `theme-${each}`,
      group: "Appearance",
      title: `Theme: ${each}`,
      icon: ({ system: "system", light: "sun", dark: "moon" } as const)[each],
      about: "Appearance",
      run: () => {
        theme.value = each;
      },
    })),
  ];
}

function matches({ title, about }: Entry, query: string): boolean {
  const text = `${title} ${about}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function resultEntry({ kind, id, server, title, about, at }: SearchResult): Entry {
  const { group, icon, view } = kinds[kind];
  return {
    id: `${kind} ${server ?? ""} ${id}`,
    group,
    icon,
    title,
    about: at === null ? about : `${about} · ${relative(at)}`,
    run: () => go(href(view, kind === "tool" ? [server ?? "", id] : [id])),
  };
}

const kinds: Readonly<Record<SearchResult["kind"], { group: string; icon: IconName; view: string }>> = {
  tool: { group: "Tools", icon: "tools", view: "tools" },
  call: { group: "Calls", icon: "live", view: "live" },
  run: { group: "Runs", icon: "runs", view: "runs" },
  approval: { group: "Approvals", icon: "approvals", view: "approvals" },
  episode: { group: "Episodes", icon: "episodes", view: "episodes" },
  audit: { group: "Audit", icon: "audit", view: "audit" },
};

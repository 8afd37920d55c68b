import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { ToolSummary } from "../../../packages/biplane/src/admin/overview/overview-api.ts";
import { useResource } from "../resource.ts";
import { go, href } from "../router.ts";
import { theme, themes } from "../theme.ts";
import { views } from "../views.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { Text } from "./text.tsx";

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  readonly run: () => void;
}

/** Ctrl-K: opens a view or a tool by name. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { data } = useResource("/api/tools", { query: { query, limit: 12 } });
  const entries = useMemo(
    () => [...fixedEntries().filter((entry) => matches(entry, query)), ...(data?.tools ?? []).map(toolEntry)],
    [query, data],
  );
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => setAt(0), [query]);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
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
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-box">
        <div class="palette-field">
          <Icon name="search" />
          <input
            autofocus
            role="combobox"
            aria-label="Go to a view or a tool"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={entries[at] && `${id}-${at}`}
            placeholder="Go to a view or a tool…"
            value={query}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={onKey}
          />
          <kbd>esc</kbd>
        </div>
        <ul ref={list} id={id} class="palette-list" role="listbox" aria-label="Results">
          {entries.map((entry, index) => (
            <li
              key={entry.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              class="palette-entry"
              onPointerMove={() => setAt(index)}
              onClick={() => select(entry)}
            >
              <Icon name={entry.icon} />
              <Text value={entry.title} maxLength={80} isFixed />
              <span class="muted grow end">
                <Text value={entry.about} maxLength={60} isFixed />
              </span>
            </li>
          ))}
        </ul>
        {entries.length === 0 && <p class="palette-none muted">No matches.</p>}
      </div>
    </dialog>
  );
}

function fixedEntries(): readonly Entry[] {
  return [
    ...views.map(({ route, title, icon, key, group }) => ({
      id: route,
      title,
      icon,
      about: group === "" ? `g ${key}` : `${group} · g ${key}`,
      run: () => go(href(route)),
    })),
    ...themes.map((each) => ({
      id: `theme-${each}`,
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

function toolEntry({ server, name, description }: ToolSummary): Entry {
  return {
    id: `${server}/${name}`,
    title: name,
    about: description ?? server,
    icon: "tools",
    run: () => go(href("tools", [server, name])),
  };
}

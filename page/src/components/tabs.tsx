import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly aside?: ComponentChildren;
}

/** Tabs with one panel. Arrow keys switch tabs. */
export function Tabs<Id extends string>(props: {
  readonly label: string;
  readonly tabs: readonly Tab<NoInfer<Id>>[];
  readonly current: Id;
  readonly onChange: (id: NoInfer<Id>) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { label, tabs, current, onChange, children } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const [fades, setFades] = useState("");
  const follow = () => setFades(fadesOf(list.current));
  useEffect(() => {
    const observer = new ResizeObserver(follow);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [tabs.length]);
  // On a phone, the tabs scroll. Setting the position moves nothing else, as scrollIntoView might.
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!row || !tab || row.scrollWidth <= row.clientWidth) return;
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
    // A badge that arrives later moves the tabs after it.
  }, [current, tabs.filter(({ aside }) => Boolean(aside)).length]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-bar">
        <div
          ref={list}
          class={`tab-list ${fades}`}
          role="tablist"
          aria-label={label}
          onKeyDown={move}
          onScroll={follow}
        >
          {tabs.map(({ id, title, aside }) => (
            <button
              key={id}
              type="button"
              role="tab"
              class="tab"
              id={`${base}-${id}`}
              aria-selected={id === current}
              aria-controls={`${base}-panel`}
              tabIndex={id === current ? 0 : -1}
              onClick={() => onChange(id)}
            >
              {title}
              {aside}
            </button>
          ))}
        </div>
      </div>
      <div class="tab-panel" role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}

/** The classes that fade the edges behind which there are more tabs. */
function fadesOf(row: HTMLElement | null): string {
  if (!row) return "";
  const isBefore = row.scrollLeft > 1;
  const isAfter = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
  return [isBefore && "tab-list-before", isAfter && "tab-list-after"].filter(Boolean).join(" ");
}

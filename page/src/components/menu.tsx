import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

export interface MenuItem {
  readonly title: string;
  readonly icon?: IconName | undefined;
  readonly isBad?: boolean;
  readonly isChecked?: boolean;
  readonly run: () => void;
}

/** A button that opens a menu. */
export function Menu(props: {
  readonly label: string;
  /** Those that are false are left out. */
  readonly items: readonly (MenuItem | false)[];
  /** Content of the button. */
  readonly children: ComponentChildren;
  readonly class?: string;
}): JSX.Element {
  const { label, children } = props;
  const items = props.items.filter((item) => item !== false);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = (isFocusKept: boolean) => {
    setOpen(false);
    if (isFocusKept) box.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    const onOutside = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", onOutside);
    document.addEventListener("focusin", onOutside);
    return () => {
      document.removeEventListener("pointerdown", onOutside);
      document.removeEventListener("focusin", onOutside);
    };
  }, [isOpen]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      close(true);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !isOpen) return;
    event.preventDefault();
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = all.findIndex((each) => each === document.activeElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div ref={box} class="menu" onKeyDown={onKey}>
      <button
        type="button"
        class={props.class ?? "button button-quiet button-usual"}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map(({ title, icon, isBad, isChecked, run }) => (
            <button
              key={title}
              type="button"
              role={isChecked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={isChecked}
              class={isBad ? "menu-item text-bad" : "menu-item"}
              tabIndex={-1}
              onClick={() => {
                close(true);
                run();
              }}
            >
              {icon && <Icon name={icon} />}
              <span class="grow">{title}</span>
              {isChecked === true && <Icon name="check" />}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

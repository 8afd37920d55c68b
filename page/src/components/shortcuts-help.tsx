import type { JSX } from "preact";
import { shortcuts } from "../shortcuts.ts";
import { Dialog } from "./dialog.tsx";

/** `?`: what can be done by key, here and now. */
export function ShortcutsHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const all = [...shortcuts.value, ...inLists];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {all.map(({ keys, what }) => (
          <div key={keys + what}>
            <dt>{what}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Keys as they stand on a keyboard. */
export function Keys({ keys }: { readonly keys: string }): JSX.Element {
  const isMac = navigator.userAgent.includes("Mac");
  return (
    <span class="row-tight">
      {keys.split(" ").map((key) => (
        <kbd key={key}>{key.replace("mod+", isMac ? "⌘ " : "Ctrl ")}</kbd>
      ))}
    </span>
  );
}

const inLists = [
  { keys: "↑ ↓", what: "In a list: the row before or after" },
  { keys: "Enter", what: "In a list: open the row" },
  { keys: "Esc", what: "Close what lies over the page" },
];

import type { JSX } from "preact";
import { shortcuts } from "../shortcuts.ts";
import { Dialog } from "./dialog.tsx";

/** `?`: lists the active keyboard shortcuts. */
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

/** Renders keys as keyboard caps. */
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
  { keys: "↑ ↓", what: "In a list: previous or next row" },
  { keys: "Enter", what: "In a list: open the row" },
  { keys: "Esc", what: "Close the dialog" },
];

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { messageOf } from "../api.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

interface Toast {
  readonly id: number;
  readonly tone: "good" | "bad";
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Shows a short confirmation: `toast("Approved 3 calls")`. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), tone === "good" ? 4000 : 9000);
}

/** Shows an error that has no other place on the page. */
export function toastProblem(error: unknown): void {
  toast(messageOf(error), "bad");
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <Icon name={tone === "good" ? "check" : "warn"} />
          <span class="grow">
            <Text value={text} />
          </span>
          <Button kind="quiet" size="small" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

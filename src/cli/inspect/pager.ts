import { cleanText } from "../terminal/clean-text.ts";
import { wrap } from "../terminal/width.ts";
import type { Frame, Key, Size } from "./screen.ts";
import type { Stage, View } from "./view.ts";

/** Text to scroll through. */
export class Pager implements View {
  readonly #stage: Stage;
  readonly #title: string;
  readonly #onBack: (() => void) | undefined;
  #text: string;
  #top = 0;
  #last = 0;
  #page = 1;

  constructor(stage: Stage, options: { title: string; text: string; onBack?: () => void }) {
    this.#stage = stage;
    this.#title = options.title;
    this.#text = cleanText(options.text);
    this.#onBack = options.onBack;
  }

  set text(text: string) {
    this.#text = cleanText(text);
    this.#stage.redraw();
  }

  frame({ columns, rows }: Size): Frame {
    const lines = wrap(this.#text, columns - 1);
    this.#page = Math.max(1, rows - 4);
    this.#last = Math.max(0, lines.length - this.#page);
    this.#top = Math.min(this.#top, this.#last);
    const body = lines.slice(this.#top, this.#top + this.#page).map((line) => ` ${line}`);
    const where =
      this.#last > 0 ? `  ${this.#top + 1}-${Math.min(this.#top + this.#page, lines.length)} of ${lines.length}` : "";
    return {
      lines: [
        [{ text: ` ${this.#title}`, style: "bold" }],
        "",
        ...Array.from({ length: this.#page }, (_, at) => body[at] ?? ""),
        [{ text: ` ↑↓ scroll  Esc back  Ctrl-C quit${where}`, style: "dim" }],
      ],
    };
  }

  key({ name, typed }: Key): void {
    if (["escape", "backspace", "left", "return"].includes(name) || typed === "q") {
      this.#stage.close(this);
      this.#onBack?.();
      return;
    }
    const moves: Readonly<Record<string, number>> = {
      up: -1,
      k: -1,
      down: 1,
      j: 1,
      pageup: -this.#page,
      pagedown: this.#page,
      space: this.#page,
      home: -Infinity,
      end: Infinity,
    };
    this.#top = Math.max(0, Math.min(this.#last, this.#top + (moves[name] ?? 0)));
    this.#stage.redraw();
  }
}

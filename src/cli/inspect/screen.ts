import { emitKeypressEvents } from "node:readline";
import type { Interface } from "node:readline";
import { cleanLine } from "../terminal/clean-text.ts";
import { styler } from "../terminal/style.ts";
import type { Style } from "../terminal/style.ts";
import { fit, widthOf } from "../terminal/width.ts";

/** A line of the screen: its parts, each in one style. What they say is made harmless here. */
export type Line = string | readonly Span[];
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export interface Frame {
  readonly lines: readonly Line[];
  /** Where the cursor stands, from 0; left out, it is not shown. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A key, by its name where it has one, with what it types. */
export interface Key {
  readonly name: string;
  readonly typed: string;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** The whole terminal, until it is closed; then everything is as it was before. */
export class Screen implements Disposable {
  readonly #terminal: Terminal;
  readonly #style: ReturnType<typeof styler>;
  readonly #onKey: (key: Key) => void;
  readonly #redraw: () => void;
  readonly #end: () => void;
  #isOpen = true;

  constructor(terminal: Terminal, listener: { onKey(key: Key): void; onResize(): void; onEnd(): void }) {
    const { input, output } = terminal;
    this.#terminal = terminal;
    this.#style = styler(output);
    this.#onKey = (key) => listener.onKey(key);
    this.#redraw = () => listener.onResize();
    this.#end = () => listener.onEnd();
    // A lone Esc is told from the beginning of a longer code by what does not follow it.
    emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface);
    input.setRawMode(true);
    input.on("keypress", this.#press);
    input.on("end", this.#end);
    output.on("resize", this.#redraw);
    for (const signal of endings) process.on(signal, this.#end);
    process.on("exit", this.#restore);
    input.resume();
    output.write("\u001B[?1049h\u001B[?25l");
  }

  get size(): Size {
    const { columns, rows } = this.#terminal.output;
    return { columns: columns || 80, rows: rows || 24 };
  }

  draw({ lines, cursor }: Frame): void {
    if (!this.#isOpen) return;
    const { columns, rows } = this.size;
    const shown = Array.from({ length: rows }, (_, at) => `${this.#line(lines[at] ?? "", columns)}\u001B[K`);
    const place =
      cursor && cursor.row < rows
        ? `\u001B[${cursor.row + 1};${Math.min(cursor.column, columns - 1) + 1}H\u001B[?25h`
        : "";
    this.#terminal.output.write(`\u001B[?25l\u001B[H${shown.join("\r\n")}${place}`);
  }

  [Symbol.dispose](): void {
    const { input, output } = this.#terminal;
    this.#restore();
    input.off("keypress", this.#press);
    input.off("end", this.#end);
    output.off("resize", this.#redraw);
    for (const signal of endings) process.off(signal, this.#end);
    process.off("exit", this.#restore);
    input.pause();
  }

  readonly #press = (
    typed: string | undefined,
    key: { name?: string; ctrl?: boolean; meta?: boolean; shift?: boolean },
  ) => {
    const name = `${key.ctrl ? "ctrl-" : ""}${key.shift && key.name === "tab" ? "shift-" : ""}${key.name ?? ""}`;
    const isText = typed !== undefined && !key.ctrl && !key.meta && !/\p{C}/u.test(typed);
    this.#onKey({ name, typed: isText ? typed : "" });
  };

  readonly #restore = () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { input, output } = this.#terminal;
    output.write("\u001B[?25h\u001B[?1049l");
    if (!input.destroyed) input.setRawMode(false);
  };

  #line(line: Line, columns: number): string {
    const spans = typeof line === "string" ? [{ text: line }] : line;
    let left = columns;
    return spans
      .map(({ text, style = "plain" }: Span) => {
        const shown = fit(cleanLine(text), left);
        left -= widthOf(shown);
        return this.#style(shown, style);
      })
      .join("");
  }
}

const endings = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

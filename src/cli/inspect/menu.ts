import { cleanLine } from "../terminal/clean-text.ts";
import { fit } from "../terminal/width.ts";
import type { Frame, Key, Line, Size, Span } from "./screen.ts";
import type { Stage, View } from "./view.ts";

export interface Section {
  readonly label: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly name: string;
  readonly about: string;
  readonly open: () => void;
}

/** What a server has, in sections, to move about in and to filter. */
export class Menu implements View {
  readonly #stage: Stage;
  readonly #title: string;
  #sections: readonly Section[] = [];
  #section = 0;
  #at = 0;
  #filter = "";
  #isFiltering = false;

  constructor(stage: Stage, title: string) {
    this.#stage = stage;
    this.#title = title;
  }

  set sections(sections: readonly Section[]) {
    this.#sections = sections;
    this.#stage.redraw();
  }

  frame({ columns, rows }: Size): Frame {
    const entries = this.#entries;
    this.#at = Math.max(0, Math.min(this.#at, entries.length - 1));
    const room = Math.max(1, rows - 5);
    const first = Math.max(0, this.#at - room + 1);
    const nameWidth = Math.min(Math.floor(columns / 2), Math.max(8, ...entries.map(({ name }) => name.length + 1)));
    const body = entries.slice(first, first + room).map((entry, at): Line => {
      const isHere = first + at === this.#at;
      const name = fit(cleanLine(entry.name), nameWidth, true);
      return [
        { text: isHere ? " > " : "   " },
        { text: name, style: isHere ? "inverse" : "plain" },
        { text: ` ${entry.about}`, style: "dim" },
      ];
    });
    const tabs = this.#sections.flatMap(({ label, entries: all }, at): Span[] => [
      { text: " " },
      {
        text: at === this.#section ? `[${label} ${all.length}]` : ` ${label} ${all.length} `,
        style: at === this.#section ? "bold" : "plain",
      },
    ]);
    const nothing = entries.length > 0 ? [] : [[{ text: "   nothing here", style: "dim" as const }]];
    const filter = this.#isFiltering || this.#filter !== "" ? `  /${this.#filter}` : "";
    const hints = this.#isFiltering
      ? " type to filter  Enter done"
      : " ↑↓ move  Tab section  Enter open  / filter  q quit";
    const lines: Line[] = [[{ text: ` ${this.#title}`, style: "bold" }], tabs, "", ...body, ...nothing];
    while (lines.length < rows - 1) lines.push("");
    return { lines: [...lines.slice(0, rows - 1), [{ text: `${hints}${filter}`, style: "dim" }]] };
  }

  key({ name, typed }: Key): void {
    if (this.#isFiltering) this.#type(name, typed);
    else this.#move(name, typed);
    this.#stage.redraw();
  }

  get #entries(): readonly Entry[] {
    const wanted = this.#filter.toLowerCase();
    const all = this.#sections[this.#section]?.entries ?? [];
    return all.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted));
  }

  #type(name: string, typed: string): void {
    if (name === "return" || name === "escape") this.#isFiltering = false;
    if (name === "escape") this.#filter = "";
    else if (name === "backspace") this.#filter = this.#filter.slice(0, -1);
    else if (name !== "return") this.#filter += typed;
    this.#at = 0;
  }

  #move(name: string, typed: string): void {
    const count = this.#entries.length;
    if (typed === "q") return this.#stage.quit();
    if (typed === "/") this.#isFiltering = true;
    else if (name === "escape") this.#filter = "";
    else if (name === "return") this.#entries[this.#at]?.open();
    else if (name === "up" || typed === "k") this.#at = Math.max(0, this.#at - 1);
    else if (name === "down" || typed === "j") this.#at = Math.min(count - 1, this.#at + 1);
    else if (name === "pageup") this.#at = Math.max(0, this.#at - 10);
    else if (name === "pagedown") this.#at = Math.min(count - 1, this.#at + 10);
    else if (name === "tab" || name === "right") this.#turn(1);
    else if (name === "shift-tab" || name === "left") this.#turn(-1);
  }

  #turn(step: number): void {
    this.#section = (this.#section + step + this.#sections.length) % Math.max(1, this.#sections.length);
    this.#at = 0;
  }
}

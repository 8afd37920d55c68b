import { messageOf } from "../../errors.ts";
import type { Params } from "../../protocol/rpc.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { widthOf, wrap } from "../terminal/width.ts";
import { propertiesOf } from "../target/read-arguments.ts";
import { kindOf, kindWords, typedValue } from "../target/typed-value.ts";
import type { Frame, Key, Line, Size } from "./screen.ts";
import type { Stage, View } from "./view.ts";

export interface FormOptions {
  readonly title: string;
  /** What stands above the fields. */
  readonly about: string;
  /** An object whose properties are the fields. */
  readonly schema: Params;
  readonly buttons: readonly { readonly label: string; readonly press: (value: () => Params) => void }[];
  readonly onBack: () => void;
}

/** Fields to fill in, one to a line, and buttons below. */
export class Form implements View {
  readonly #stage: Stage;
  readonly #options: FormOptions;
  readonly #fields: Field[];
  #at = 0;
  #problem = "";

  constructor(stage: Stage, options: FormOptions) {
    this.#stage = stage;
    this.#options = options;
    const { schema } = options;
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    this.#fields = Object.entries(propertiesOf(schema)).map(([name, property]) => {
      const kind = kindOf(property, schema);
      const { default: fallback, description } = property;
      const choices =
        kind.choices?.map(textOf) ??
        (kind.types.has("boolean") && kind.types.size === 1 ? ["true", "false"] : undefined);
      return {
        name,
        property,
        choices,
        isRequired: required.includes(name),
        hint: `${kindWords(kind)}${typeof description === "string" ? `: ${description}` : ""}`,
        text: fallback === undefined ? "" : textOf(fallback),
      };
    });
  }

  frame({ columns, rows }: Size): Frame {
    const { title, about, buttons } = this.#options;
    const above = wrap(cleanText(about), columns - 2).slice(0, Math.max(1, Math.min(8, rows - 14)));
    const nameWidth = Math.min(24, Math.max(4, ...this.#fields.map(({ name }) => widthOf(cleanLine(name)) + 1)));
    const room = Math.max(1, rows - above.length - buttons.length - 7);
    const first = Math.max(0, Math.min(this.#at, this.#fields.length - 1) - room + 1);
    const shown = this.#fields.slice(first, first + room);
    const fields = shown.map((field, at): Line =>
      this.#fieldLine(field, { isHere: first + at === this.#at, nameWidth, columns }),
    );
    const pressed = buttons.map(({ label }, at): Line => {
      const isHere = this.#at === this.#fields.length + at;
      return [{ text: isHere ? " > " : "   " }, { text: `[ ${label} ]`, style: isHere ? "inverse" : "plain" }];
    });
    const here = this.#fields[this.#at];
    const lines: Line[] = [
      [{ text: ` ${title}`, style: "bold" }],
      ...above.map((line) => ` ${line}`),
      "",
      ...fields,
      "",
      ...pressed,
      "",
      this.#problem === ""
        ? [{ text: here ? ` ${here.hint}` : "", style: "dim" }]
        : [{ text: ` ${this.#problem}`, style: "red" }],
    ];
    while (lines.length < rows - 1) lines.push("");
    const hints = here?.choices
      ? " ←→ choose  ↑↓ move  Esc back"
      : " type to fill in  ↑↓ move  Enter next  Esc back  Ctrl-C quit";
    const row = 2 + above.length + this.#at - first;
    const column = here ? 3 + nameWidth + 1 + Math.min(widthOf(cleanLine(here.text)), columns - nameWidth - 6) : 0;
    return {
      lines: [...lines.slice(0, rows - 1), [{ text: hints, style: "dim" }]],
      cursor: here ? { row, column } : undefined,
    };
  }

  key({ name, typed }: Key): void {
    const places = this.#fields.length + this.#options.buttons.length;
    const field = this.#fields[this.#at];
    this.#problem = "";
    if (name === "escape") return this.#leave();
    if (name === "up" || name === "shift-tab") this.#at = (this.#at + places - 1) % places;
    else if (name === "down" || name === "tab" || (name === "return" && field)) this.#at = (this.#at + 1) % places;
    else if (name === "return") this.#press();
    else if (field?.choices && (name === "left" || name === "right" || name === "space"))
      field.text = next(field.choices, field.text, name === "left" ? -1 : 1);
    else if (field && name === "backspace") field.text = Array.from(field.text).slice(0, -1).join("");
    else if (field && name === "ctrl-u") field.text = "";
    else if (field) field.text += typed;
    this.#stage.redraw();
  }

  #fieldLine(
    field: Field,
    { isHere, nameWidth, columns }: { isHere: boolean; nameWidth: number; columns: number },
  ): Line {
    const room = Math.max(1, columns - nameWidth - 6);
    const text = Array.from(cleanLine(field.text)).slice(-room).join("");
    const name = `${cleanLine(field.name)}${field.isRequired ? "*" : ""}`;
    return [
      { text: isHere ? " > " : "   " },
      { text: Array.from(name).slice(0, nameWidth).join("").padEnd(nameWidth), style: isHere ? "bold" : "plain" },
      { text: ` ${text}` },
    ];
  }

  #leave(): void {
    this.#stage.close(this);
    this.#options.onBack();
  }

  #press(): void {
    try {
      this.#options.buttons[this.#at - this.#fields.length]?.press(() => this.#value());
    } catch (error) {
      this.#problem = messageOf(error);
    }
  }

  #value(): Params {
    const { schema } = this.#options;
    const filled = this.#fields.flatMap(({ name, text, property, isRequired }) => {
      if (text !== "") return [[name, typedValue(name, text, property, schema)] as const];
      if (!isRequired) return [];
      // An empty text is one; an empty number is none.
      return [[name, typedValue(name, "", property, schema)] as const];
    });
    return Object.fromEntries(filled);
  }
}

interface Field {
  readonly name: string;
  readonly property: Params;
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
  readonly hint: string;
  text: string;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function next(choices: readonly string[], text: string, step: number): string {
  const at = choices.indexOf(text);
  if (at === -1) return choices[step > 0 ? 0 : choices.length - 1] ?? "";
  return choices[(at + step + choices.length) % choices.length] ?? "";
}

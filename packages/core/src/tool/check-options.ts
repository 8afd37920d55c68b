import { BiplaneError } from "../errors.ts";
import { unknownName } from "./near-miss.ts";

/** The names of all options of a type. The compiler rejects an incomplete list. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Rejects unknown options, for plain JavaScript, where no compiler catches `timeout_ms`. */
export function checkOptions<Options extends object>(
  what: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  if (typeof options !== "object" || options === null)
    throw new BiplaneError("INVALID_DEFINITION", `${what}: the options must be an object.`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${what}: ${quoted} ${unknownName(name, Object.keys(names), "an option")}`,
    );
  }
}

/** The options with one of these names. */
export function pickOptions<Options>(options: object, names: OptionNames<Options>): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name))) as Options;
}

/** How text can stand out, where the terminal shows it. */
export type Style = "plain" | "bold" | "dim" | "inverse" | "red";

/** Puts marks around text for a stream that shows them; `NO_COLOR` and dumb terminals get the bare text. */
export function styler(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): (text: string, style: Style) => string {
  const isPlain = !stream.isTTY || Boolean(environment["NO_COLOR"]) || environment["TERM"] === "dumb";
  return (text, style) => (isPlain || style === "plain" ? text : `\u001B[${codes[style]}m${text}\u001B[0m`);
}

const codes: Readonly<Record<Exclude<Style, "plain">, number>> = { bold: 1, dim: 2, inverse: 7, red: 31 };

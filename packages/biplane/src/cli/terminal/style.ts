/** Text styles of a terminal. */
export type Style = "plain" | "bold" | "dim" | "inverse" | "red";

/** Adds ANSI codes for a terminal. Leaves text plain for pipes, `NO_COLOR` and dumb terminals. */
export function styler(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): (text: string, style: Style) => string {
  const isPlain = !showsColours(stream, environment);
  return (text, style) => (isPlain || style === "plain" ? text : `\u001B[${codes[style]}m${text}\u001B[0m`);
}

export function showsColours(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return Boolean(stream.isTTY) && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}

const codes: Readonly<Record<Exclude<Style, "plain">, number>> = { bold: 1, dim: 2, inverse: 7, red: 31 };

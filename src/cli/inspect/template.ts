import { wordOf } from "../terminal/word-of.ts";

/** The names in a URI template, in order. */
export function variablesIn(template: string): string[] {
  const found = Array.from(template.matchAll(expression), ([, inner = ""]) => inner.split(",").map(nameOf));
  return [...new Set(found.flat())];
}

/** A template with values put in, as far as people type them: `{x}`, `{+path}`, `{/a,b}`, `{?q}`. */
export function expand(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(expression, (_, inner: string) => {
    const sign = /^[+#./;?&]/.exec(inner)?.[0] ?? "";
    const isOpen = sign === "+" || sign === "#";
    const parts = inner.split(",").map((each) => {
      const value = wordOf(values[nameOf(each)]);
      const written = isOpen ? encodeURI(value) : encodeURIComponent(value);
      return ["?", "&", ";"].includes(sign) ? `${nameOf(each)}=${written}` : written;
    });
    const before = sign === "+" ? "" : sign;
    const between = sign === "" || isOpen ? "," : sign === "?" ? "&" : sign;
    return before + parts.join(between);
  });
}

const expression = /\{([^{}]+)\}/g;

function nameOf(part: string): string {
  return part.replace(/^[+#./;?&]/, "").replace(/(\*|:\d+)$/, "");
}

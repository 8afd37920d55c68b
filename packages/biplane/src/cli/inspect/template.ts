import { label } from "../terminal/label.ts";

/** The variable names of a URI template, in order. */
export function variablesIn(template: string): string[] {
  const found = Array.from(template.matchAll(expression), ([, inner = ""]) => inner.split(",").map(nameOf));
  return [...new Set(found.flat())];
}

/** Expands the common forms of a URI template: `{x}`, `{+path}`, `{/a,b}`, `{?q}`. */
export function expand(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(expression, (_, inner: string) => {
    const sign = /^[+#./;?&]/.exec(inner)?.[0] ?? "";
    const isOpen = sign === "+" || sign === "#";
    const parts = inner.split(",").map((each) => {
      const value = label(values[nameOf(each)]);
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

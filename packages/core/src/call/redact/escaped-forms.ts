import type { SecretForm } from "./forms.ts";

/** A value as escaped in JSON, URLs and HTML by the common libraries. */
export function escapedForms(value: string): SecretForm[] {
  // Lone surrogates have no UTF-8 encoding.
  const encodable = Buffer.from(value).toString();
  return [...jsonForms(value), ...percentForms(encodable), ...htmlForms(value)];
}

function percentForms(value: string): SecretForm[] {
  const component = tidyPercent(encodeURIComponent(value));
  const strict = asPercent(component, /[!'()*]/g);
  return [
    component,
    strict, // RFC 3986
    strict.replaceAll("%2f", "/"), // Python
    asPercent(component, /[!'()~]/g), // URLSearchParams
    tidyPercent(encodeURI(value)),
  ].flatMap((text) => [text, text.replaceAll("%20", "+")].map((text) => ({ text, tidy: tidyPercent })));
}

function asPercent(text: string, which: RegExp): string {
  return text.replace(which, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function tidyPercent(found: string): string {
  return found.replace(/%[\da-fA-F]{2}/g, (escape) => escape.toLowerCase());
}

function jsonForms(value: string): SecretForm[] {
  const plain = inJson(value);
  const styled = jsonStyles.map((style) => ({ style, once: style(plain) })).filter(({ once }) => once !== plain);
  const texts = styled.flatMap(({ style, once }) => [once, inJson(once), style(inJson(once))]);
  return [plain, inJson(plain), ...texts].map((text) => ({ text, tidy: tidyUnicode }));
}

function tidyUnicode(found: string): string {
  return found.replace(/\\u[\da-fA-F]{4}/g, (escape) => escape.toLowerCase());
}

/** What each library escapes beyond the JSON minimum. */
const jsonStyles: readonly ((plain: string) => string)[] = [
  (plain) => asUnicode(plain, /[^ -~]/g), // Python
  (plain) => plain.replaceAll("/", "\\/"),
  (plain) => asUnicode(plain, /[^ -~]/g).replaceAll("/", "\\/"), // PHP
  (plain) => asUnicode(plain, /[<>&\u2028\u2029]/g), // Go, Rails
  (plain) => asUnicode(plain.replaceAll('\\"', "\\u0022"), /[^ -~]|[<>&'+`]/g), // .NET
];

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function asUnicode(text: string, which: RegExp): string {
  return text.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function htmlForms(value: string): SecretForm[] {
  if (!/[&<>"']/.test(value)) return [];
  const plain = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return ['"', "&quot;", "&#34;"].flatMap((quote) =>
    ["'", "&#39;", "&#x27;", "&apos;"].map((apostrophe) => ({
      text: plain.replaceAll('"', quote).replaceAll("'", apostrophe),
    })),
  );
}

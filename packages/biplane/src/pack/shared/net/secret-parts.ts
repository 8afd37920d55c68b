/**
 * A header or a credential, and what of it is a secret on its own: the token after its scheme, the password of Basic
 * authentication, the values of cookies. An API could repeat any of them.
 */
export function secretParts(value: string): readonly string[] {
  // Not of a list of types, as in Accept.
  const [, scheme = "", token] = /^([\w.+-]+)\s+(.+)$/.exec(value) ?? [];
  if (token === undefined) return [value, ...cookieValues(value), ...passwordIn(value)];
  const password = scheme.toLowerCase() === "basic" ? passwordIn(Buffer.from(token, "base64").toString()) : [];
  return [value, token, ...password];
}

/** Of `user:password`, not of a URL. */
function passwordIn(text: string): string[] {
  const password = /^[^:]*:(?!\/\/)(.+)$/.exec(text)?.[1];
  return password === undefined ? [] : [password];
}

/** Of `name=value; other=value`. */
function cookieValues(header: string): string[] {
  const pairs = header.split(";").map((pair) => /^\s*[\w.-]+=(.*?)\s*$/.exec(pair)?.[1]);
  return pairs.every((value) => value !== undefined) ? pairs : [];
}

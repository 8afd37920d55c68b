/**
 * A header's value, and what of it is a secret on its own: the token after its scheme, the password of Basic
 * authentication, the values of cookies. An API could repeat any of them.
 */
export function secretParts(header: string): readonly string[] {
  const [, scheme = "", token] = /^(bearer|basic|token)\s+(.+)$/i.exec(header) ?? [];
  if (token === undefined) return [header, ...cookieValues(header)];
  const password = scheme.toLowerCase() === "basic" ? passwordIn(token) : undefined;
  return [header, token, ...(password === undefined ? [] : [password])];
}

function passwordIn(token: string): string | undefined {
  const text = Buffer.from(token, "base64").toString();
  const at = text.indexOf(":");
  return at < 0 ? undefined : text.slice(at + 1);
}

/** Of `name=value; other=value`. */
function cookieValues(header: string): string[] {
  const pairs = header.split(";").map((pair) => /^\s*[\w.-]+=(.*?)\s*$/.exec(pair)?.[1]);
  return pairs.every((value) => value !== undefined) ? pairs : [];
}

/** A challenge from a `WWW-Authenticate` header. */
export interface AuthChallenge {
  readonly scheme: string;
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly resourceMetadata: string | undefined;
}

/** Reads the first Bearer or DPoP challenge in the header. */
export function readChallenge(headers: Headers): AuthChallenge | undefined {
  const header = headers.get("www-authenticate") ?? "";
  const start = /(?:^|,)\s*(bearer|dpop)(?:\s+|$)/i.exec(header.slice(0, 8192));
  if (!start) return undefined;
  const values = new Map<string, string>();
  const pairs = /\s*,?\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
  pairs.lastIndex = start.index + start[0].length;
  for (let pair = pairs.exec(header); pair; pair = pairs.exec(header)) {
    const [, name = "", quoted, plain] = pair;
    values.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  return {
    scheme: start[1]?.toLowerCase() ?? "",
    error: values.get("error"),
    scope: values.get("scope"),
    resourceMetadata: values.get("resource_metadata"),
  };
}

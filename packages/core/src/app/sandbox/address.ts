import { BiplaneError } from "../../errors.ts";

/** Where apps run: with `{app}` one origin per app, without it one origin for all. */
export interface SandboxAddress {
  readonly text: string;
  readonly hasOwnOrigins: boolean;
  /** Whether a Host header belongs to this address. */
  owns(host: string): boolean;
}

/** Parses `http://{app}.localhost:8000`, `https://{app}.apps.example.com` or `https://apps.example.com`. */
export function sandboxAddress(text: string): SandboxAddress {
  const example = text.replace("{app}", placeholder);
  const url = URL.canParse(example) ? new URL(example) : undefined;
  const hasOwnOrigins = example !== text;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}${text.endsWith("/") ? "/" : ""}` !== example)
    throw wrong(text, "it must be an origin without a path, such as https://{app}.apps.example.com");
  const rest = url.hostname.slice(placeholder.length);
  if (hasOwnOrigins && !(url.hostname.startsWith(`${placeholder}.`) && rest.length > 1))
    throw wrong(text, "{app} must be the whole first label of the host name");
  return {
    text: text.replace(/\/$/, ""),
    hasOwnOrigins,
    owns: (host) => {
      const name = hostName(host);
      if (!hasOwnOrigins) return name === url.hostname;
      return name.endsWith(rest) && isLabel(name.slice(0, -rest.length));
    },
  };
}

/** True for the host name label of an app: 16 to 32 hexadecimal digits. */
function isLabel(text: string): boolean {
  return /^[0-9a-f]{16,32}$/.test(text);
}

const placeholder = "0123456789abcdef";

/** Drops the port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function wrong(text: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `The sandbox address ${JSON.stringify(text)} cannot be used: ${why}.`);
}

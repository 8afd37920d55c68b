import { BiplaneError } from "../../errors.ts";

/** Where apps run: one origin for each with `{app}` in it, else one for all. */
export interface SandboxAddress {
  readonly text: string;
  readonly hasOwnOrigins: boolean;
  /** Whether a host name, as a request says it, is one of these. */
  owns(host: string): boolean;
}

/** Reads `http://{app}.localhost:8000`, `https://{app}.apps.example.com` or `https://apps.example.com`. */
export function sandboxAddress(text: string): SandboxAddress {
  const example = text.replace("{app}", placeholder);
  const url = URL.canParse(example) ? new URL(example) : undefined;
  const hasOwnOrigins = example !== text;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}${text.endsWith("/") ? "/" : ""}` !== example)
    throw wrong(text, "it is an origin such as https://{app}.apps.example.com, without a path");
  const rest = url.hostname.slice(placeholder.length);
  if (hasOwnOrigins && !(url.hostname.startsWith(`${placeholder}.`) && rest.length > 1))
    throw wrong(text, "{app} is the whole first label of its host name");
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

/** The name of an app in its address: 16 to 32 hexadecimal digits. */
function isLabel(text: string): boolean {
  return /^[0-9a-f]{16,32}$/.test(text);
}

const placeholder = "0123456789abcdef";

/** Ports do not tell servers apart here: what listens is one. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function wrong(text: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `the sandbox address ${JSON.stringify(text)} cannot be used: ${why}`);
}

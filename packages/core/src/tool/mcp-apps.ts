// The vocabulary of MCP Apps, shared by servers, the sandbox and browsers. No Node imports here.
import { BiplaneError } from "../errors.ts";

/** Media type of app pages. */
export const appMimeType = "text/html;profile=mcp-app";

/** The URI of an app by its server and its name: `uiUri("weather", "chart")` is `ui://weather/chart`. */
export function uiUri(server: string, name: string): string {
  const parts = [server, ...name.split("/")];
  if (parts.includes(""))
    throw new BiplaneError("INVALID_INPUT", `A ui:// URI needs a server and a name, not "${server}" and "${name}".`);
  return `ui://${parts.map(encodeURIComponent).join("/")}`;
}

/** For Biplane's own host; MCP Apps has no such field. */
export const sameOriginKey = "dev.biplane/sameOrigin";

/** Who may call a tool: the model, an app page, or both. */
export type Visibility = "model" | "app";
export const everyone: readonly Visibility[] = Object.freeze(["model", "app"]);

/** Each permission with the browser feature that it grants. */
export const browserFeatures = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const;

export type AppPermission = keyof typeof browserFeatures;
export const appPermissions = Object.keys(browserFeatures) as readonly AppPermission[];

/** Lists of origins such as `https://api.example.com` or `https://*.example.com`. */
export interface AppCsp {
  /** For fetch, XMLHttpRequest and WebSocket. */
  readonly connectDomains?: readonly string[] | undefined;
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[] | undefined;
  readonly frameDomains?: readonly string[] | undefined;
  readonly baseUriDomains?: readonly string[] | undefined;
}

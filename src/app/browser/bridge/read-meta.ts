import type { Params } from "../../../protocol/rpc.ts";
import type { Csp, Permissions, ResourceUi, ToolUi, Visibility } from "./capabilities.ts";
import { optionalRecord, optionalText, present, text, texts, wrong } from "./fields.ts";
import type { SandboxResource } from "./messages.ts";
import { isRecord } from "./rpc.ts";

/** `_meta.ui` of a resource, from a server that may say anything. What is said of the content wins over the listing. */
export function readResourceUi(content: unknown, listed?: unknown): ResourceUi {
  const ui = { ...uiOf(listed), ...uiOf(content) };
  return present({
    csp: readCsp(optionalRecord(ui, "csp")),
    permissions: readPermissions(optionalRecord(ui, "permissions")),
    domain: optionalText(ui, "domain"),
    prefersBorder: typeof ui["prefersBorder"] === "boolean" ? ui["prefersBorder"] : undefined,
  });
}

/** `_meta` of a tool: its page, under the present key or the one before it, and who may call it. */
export function readToolUi(meta: unknown): Required<Pick<ToolUi, "visibility">> & ToolUi {
  const ui = uiOf(meta);
  const resourceUri =
    optionalText(ui, "resourceUri") ?? (isRecord(meta) ? optionalText(meta, "ui/resourceUri") : undefined);
  if (resourceUri !== undefined && !resourceUri.startsWith("ui://")) throw wrong("resourceUri", "an address of ui://");
  const said = texts(ui, "visibility");
  const visibility = said?.filter((who): who is Visibility => who === "model" || who === "app") ?? ["model", "app"];
  return { visibility, ...(resourceUri !== undefined && { resourceUri }) };
}

/** What a host gives its sandbox page. The page reads it as strictly as the host wrote it. */
export function readSandboxResource(params: Params): SandboxResource {
  return present({
    html: text(params, "html"),
    sandbox: optionalText(params, "sandbox"),
    csp: readCsp(optionalRecord(params, "csp")),
    permissions: readPermissions(optionalRecord(params, "permissions")),
  });
}

/** The lists are lists of strings here, and no more: whether each is a source that CSP may hold is another question. */
export function readCsp(csp: Params | undefined): Csp | undefined {
  return (
    csp &&
    present({
      connectDomains: texts(csp, "connectDomains"),
      resourceDomains: texts(csp, "resourceDomains"),
      frameDomains: texts(csp, "frameDomains"),
      baseUriDomains: texts(csp, "baseUriDomains"),
    })
  );
}

/** Only an object is a yes: `false` asks for nothing, and neither does `true`. */
export function readPermissions(permissions: Params | undefined): Permissions | undefined {
  if (!permissions) return undefined;
  const asked = (["camera", "microphone", "geolocation", "clipboardWrite"] as const).filter((name) =>
    isRecord(permissions[name]),
  );
  return Object.fromEntries(asked.map((name) => [name, {}]));
}

function uiOf(meta: unknown): Params {
  return (isRecord(meta) && optionalRecord(meta, "ui")) || {};
}

import type { Params } from "../../../protocol/rpc.ts";
import { appPermissions, everyone } from "../../../tool/mcp-apps.ts";
import type { AppCsp, Visibility } from "../../../tool/mcp-apps.ts";
import type { Permissions, ResourceUiMeta, ToolUiMeta } from "./capabilities.ts";
import { optionalObjectField, optionalStringField, present, optionalStringsField, fieldError } from "./fields.ts";
import { isRecord } from "../../../is-record.ts";

/** Reads the untrusted `_meta.ui` of a resource. Fields of the content override those of the listing. */
export function readResourceUi(content: unknown, listed?: unknown): ResourceUiMeta {
  const ui = { ...uiOf(listed), ...uiOf(content) };
  return present({
    csp: readCsp(optionalObjectField(ui, "csp")),
    permissions: readPermissions(optionalObjectField(ui, "permissions")),
    domain: optionalStringField(ui, "domain"),
    prefersBorder: typeof ui["prefersBorder"] === "boolean" ? ui["prefersBorder"] : undefined,
  });
}

/** Reads the `_meta` of a tool: its page, under the current or the former key, and its visibility. */
export function readToolUi(meta: unknown): Required<Pick<ToolUiMeta, "visibility">> & ToolUiMeta {
  const ui = uiOf(meta);
  const resourceUri =
    optionalStringField(ui, "resourceUri") ??
    (isRecord(meta) ? optionalStringField(meta, "ui/resourceUri") : undefined);
  if (resourceUri !== undefined && !resourceUri.startsWith("ui://")) throw fieldError("resourceUri", "a ui:// address");
  const given = optionalStringsField(ui, "visibility");
  const visibility = given?.filter((who): who is Visibility => everyone.includes(who as Visibility)) ?? everyone;
  return { visibility, ...(resourceUri !== undefined && { resourceUri }) };
}

/** Checks only that the lists contain strings. `grantCsp` checks the sources. */
export function readCsp(csp: Params | undefined): AppCsp | undefined {
  return (
    csp &&
    present({
      connectDomains: optionalStringsField(csp, "connectDomains"),
      resourceDomains: optionalStringsField(csp, "resourceDomains"),
      frameDomains: optionalStringsField(csp, "frameDomains"),
      baseUriDomains: optionalStringsField(csp, "baseUriDomains"),
    })
  );
}

/** Only an object counts as a request; `true` does not. */
export function readPermissions(permissions: Params | undefined): Permissions | undefined {
  if (!permissions) return undefined;
  const requested = appPermissions.filter((name) => isRecord(permissions[name]));
  return Object.fromEntries(requested.map((name) => [name, {}]));
}

function uiOf(meta: unknown): Params {
  return (isRecord(meta) && optionalObjectField(meta, "ui")) || {};
}

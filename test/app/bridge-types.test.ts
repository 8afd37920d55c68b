import type * as official from "@modelcontextprotocol/ext-apps/app-bridge";
import { expectTypeOf, test } from "vitest";
import type * as capabilities from "../../packages/core/src/app/browser/bridge/capabilities.ts";
import type { HostContext, StyleVariable, Styles } from "../../packages/core/src/app/browser/bridge/context.ts";
import type {
  HostNotifications,
  HostRequests,
  SandboxNotifications,
} from "../../packages/core/src/app/browser/bridge/messages.ts";
import type { ViewNotifications, ViewRequests } from "../../packages/core/src/app/browser/bridge/messages.ts";
import type { AppCsp, Visibility } from "../../packages/core/src/tool/mcp-apps.ts";

/** Ours are read-only, theirs are not; that is the one difference which is left out of the comparison. */
type Writable<T> = T extends (...parameters: never) => unknown
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** In ours, a member that is left out may also be undefined, as in what a handler puts together. */
type Exact<T> = T extends readonly (infer Entry)[]
  ? Exact<Entry>[]
  : T extends object
    ? { [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T;

type Ours<T> = Exact<Writable<T>>;

test("every capability is the reference package's, both ways", () => {
  expectTypeOf<official.McpUiAppCapabilities>().toExtend<capabilities.AppCapabilities>();
  expectTypeOf<Ours<capabilities.AppCapabilities>>().toExtend<official.McpUiAppCapabilities>();
  expectTypeOf<official.McpUiHostCapabilities>().toExtend<capabilities.HostCapabilities>();
  expectTypeOf<Ours<capabilities.HostCapabilities>>().toExtend<official.McpUiHostCapabilities>();
  expectTypeOf<keyof capabilities.HostCapabilities>().toEqualTypeOf<keyof official.McpUiHostCapabilities>();
  expectTypeOf<keyof capabilities.AppCapabilities>().toEqualTypeOf<keyof official.McpUiAppCapabilities>();
  expectTypeOf<official.McpUiResourceMeta>().toExtend<capabilities.ResourceUiMeta>();
  expectTypeOf<Ours<capabilities.ResourceUiMeta>>().toExtend<official.McpUiResourceMeta>();
  expectTypeOf<official.McpUiResourceCsp>().toExtend<AppCsp>();
  expectTypeOf<official.McpUiResourcePermissions>().toExtend<capabilities.Permissions>();
  expectTypeOf<Ours<capabilities.ToolUiMeta>>().toExtend<official.McpUiToolMeta>();
  expectTypeOf<capabilities.DisplayMode>().toEqualTypeOf<official.McpUiDisplayMode>();
  expectTypeOf<Visibility>().toEqualTypeOf<official.McpUiToolVisibility>();
});

test("the host context has every field of the reference package's, with its type", () => {
  type Known<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
  expectTypeOf<Known<HostContext>>().toEqualTypeOf<Known<official.McpUiHostContext>>();
  expectTypeOf<StyleVariable>().toEqualTypeOf<official.McpUiStyleVariableKey>();
  // Theirs wants every variable named; a host of ours names those it has.
  type Rest = "styles" | "toolInfo" | "containerDimensions";
  type Field = Exclude<Known<HostContext>, Rest>;
  expectTypeOf<Pick<official.McpUiHostContext, Field>>().toExtend<Pick<HostContext, Field>>();
  expectTypeOf<Ours<Pick<HostContext, Field>>>().toExtend<Pick<official.McpUiHostContext, Field>>();
  expectTypeOf<official.McpUiHostStyles>().toExtend<Styles>();
  expectTypeOf<NonNullable<official.McpUiHostContext["toolInfo"]>>().toExtend<NonNullable<HostContext["toolInfo"]>>();
  expectTypeOf<NonNullable<HostContext["containerDimensions"]>>().toExtend<
    NonNullable<official.McpUiHostContext["containerDimensions"]>
  >();
});

test("every message carries what the reference package's does", () => {
  expectTypeOf<SentBy<official.McpUiInitializeRequest>>().toExtend<ViewRequests["ui/initialize"]["params"]>();
  expectTypeOf<official.McpUiInitializeResult["hostInfo"]>().toExtend<
    ViewRequests["ui/initialize"]["result"]["hostInfo"]
  >();
  expectTypeOf<SentBy<official.McpUiOpenLinkRequest>>().toEqualTypeOf<
    Writable<ViewRequests["ui/open-link"]["params"]>
  >();
  expectTypeOf<official.McpUiOpenLinkResult>().toExtend<ViewRequests["ui/open-link"]["result"]>();
  expectTypeOf<SentBy<official.McpUiMessageRequest>>().toExtend<ViewRequests["ui/message"]["params"]>();
  expectTypeOf<official.McpUiMessageResult>().toExtend<ViewRequests["ui/message"]["result"]>();
  expectTypeOf<SentBy<official.McpUiUpdateModelContextRequest>>().toExtend<
    ViewRequests["ui/update-model-context"]["params"]
  >();
  expectTypeOf<SentBy<official.McpUiRequestDisplayModeRequest>>().toEqualTypeOf<
    Writable<ViewRequests["ui/request-display-mode"]["params"]>
  >();
  expectTypeOf<official.McpUiRequestDisplayModeResult>().toExtend<ViewRequests["ui/request-display-mode"]["result"]>();
  expectTypeOf<SentBy<official.McpUiSizeChangedNotification>>().toExtend<
    ViewNotifications["ui/notifications/size-changed"]
  >();
  expectTypeOf<SentBy<official.McpUiToolInputNotification>>().toExtend<
    HostNotifications["ui/notifications/tool-input"]
  >();
  expectTypeOf<SentBy<official.McpUiToolInputPartialNotification>>().toExtend<
    HostNotifications["ui/notifications/tool-input-partial"]
  >();
  expectTypeOf<SentBy<official.McpUiToolResultNotification>>().toExtend<
    HostNotifications["ui/notifications/tool-result"]
  >();
  expectTypeOf<SentBy<official.McpUiToolCancelledNotification>>().toExtend<
    HostNotifications["ui/notifications/tool-cancelled"]
  >();
  expectTypeOf<official.McpUiResourceTeardownRequest>().toExtend<
    Pick<HostRequests["ui/resource-teardown"], "params">
  >();
  expectTypeOf<SentBy<official.McpUiSandboxResourceReadyNotification>>().toExtend<
    SandboxNotifications["ui/notifications/sandbox-resource-ready"]
  >();
  expectTypeOf<Ours<SandboxNotifications["ui/notifications/sandbox-resource-ready"]>>().toExtend<
    SentBy<official.McpUiSandboxResourceReadyNotification>
  >();
});

type SentBy<Message extends { params?: unknown }> = NonNullable<Message["params"]>;

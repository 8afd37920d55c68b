import type { RpcId } from "../../../protocol/rpc.ts";
import type { DisplayMode } from "./capabilities.ts";
import type { ToolDescription } from "./content.ts";

/** What a host tells a page of its surroundings. All of it may be missing, and there may be more. */
export interface HostContext {
  /** The call that the page is shown for. */
  readonly toolInfo?: { readonly id?: RpcId | undefined; readonly tool: ToolDescription } | undefined;
  readonly theme?: Theme | undefined;
  readonly styles?: Styles | undefined;
  readonly displayMode?: DisplayMode | undefined;
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
  readonly containerDimensions?: Dimensions | undefined;
  /** BCP 47, such as `en-GB`. */
  readonly locale?: string | undefined;
  /** IANA, such as `Europe/Berlin`. */
  readonly timeZone?: string | undefined;
  /** Which host it is. */
  readonly userAgent?: string | undefined;
  readonly platform?: "web" | "desktop" | "mobile" | undefined;
  readonly deviceCapabilities?:
    | { readonly touch?: boolean | undefined; readonly hover?: boolean | undefined }
    | undefined;
  /** In pixels. */
  readonly safeAreaInsets?:
    | { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
    | undefined;
  readonly [key: string]: unknown;
}

export type Theme = "light" | "dark";

/** A fixed side is the host's to choose; the other is the page's, up to a maximum where one is given. */
export type Dimensions = (
  | { readonly height: number; readonly maxHeight?: never }
  | { readonly maxHeight?: number | undefined; readonly height?: never }
) &
  (
    | { readonly width: number; readonly maxWidth?: never }
    | { readonly maxWidth?: number | undefined; readonly width?: never }
  );

export interface Styles {
  readonly variables?: { readonly [Name in StyleVariable]?: string | undefined } | undefined;
  readonly css?: { readonly fonts?: string | undefined } | undefined;
}

/** Every custom property a host may set. */
export type StyleVariable =
  | `--color-${"background" | "text" | "border"}-${Tone | "tertiary" | "ghost" | "disabled"}`
  | `--color-ring-${Tone}`
  | `--font-${"sans" | "mono"}`
  | `--font-weight-${"normal" | "medium" | "semibold" | "bold"}`
  | `--font-text-${Size}-${"size" | "line-height"}`
  | `--font-heading-${Size | "xl" | "2xl" | "3xl"}-${"size" | "line-height"}`
  | `--border-radius-${Size | "xl" | "full"}`
  | "--border-width-regular"
  | `--shadow-${"hairline" | "sm" | "md" | "lg"}`;

type Tone = "primary" | "secondary" | "inverse" | "info" | "danger" | "success" | "warning";
type Size = "xs" | "sm" | "md" | "lg";

import type { RpcId } from "../../../protocol/rpc.ts";
import type { DisplayMode } from "./capabilities.ts";
import type { ToolDescription } from "./content.ts";

/** The environment that a host describes to a page. Every field is optional, and hosts may add more. */
export interface HostContext {
  /** The tool call that the page is shown for. */
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
  /** Name of the host. */
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

/** `height` and `width` are fixed by the host. Otherwise the page chooses, up to the maximum. */
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

/** The custom properties that a host may set. */
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

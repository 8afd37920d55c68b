import { BiplaneError } from "../../../errors.ts";
import type { DisplayMode } from "../bridge/capabilities.ts";
import type { HostContext, Dimensions } from "../bridge/context.ts";
import type { SizeParams } from "../bridge/messages.ts";

export interface HostContextOptions {
  readonly context: HostContext;
  readonly element: HTMLElement;
  /** Maximum width and height if the context has none. */
  readonly pixels: number;
  readonly notify: (changed: HostContext) => void;
  /** Called with the new size of the frame. */
  readonly onSize?: ((size: SizeParams) => void) | undefined;
  /** Called when the app requests a display mode that both sides support. Return true after switching to it. */
  readonly onDisplayMode?: ((mode: DisplayMode) => boolean | Promise<boolean>) | undefined;
}

/** Tracks the host context, the size and the display mode of an app. */
export class HostContextTracker {
  readonly #options: HostContextOptions;
  #context: HostContext;
  /** Undefined until the app has initialized. */
  #declared: readonly DisplayMode[] | undefined;
  #requestedSize: SizeParams = {};

  constructor(options: HostContextOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#fit();
  }

  get context(): HostContext {
    return this.#context;
  }

  /** An app that declares no modes cannot switch. */
  declare(modes: readonly DisplayMode[] | undefined): void {
    this.#declared = modes ?? [];
  }

  /** Merges changes into the context. */
  change(changed: HostContext): void {
    const { displayMode: mode } = changed;
    if (mode !== undefined && mode !== this.#mode && this.#declared && !this.#declared.includes(mode))
      throw new BiplaneError("INVALID_INPUT", `The app does not support the display mode ${mode}.`);
    this.#context = { ...this.#context, ...changed };
    if (changed.containerDimensions || mode) this.#fit();
    this.#options.notify(changed);
  }

  /** Returns the resulting mode, which may be the old one. */
  async switchTo(mode: DisplayMode): Promise<{ mode: DisplayMode }> {
    const isOffered = this.#context.availableDisplayModes?.includes(mode) === true;
    const isPossible = isOffered && this.#declared?.includes(mode) === true && mode !== this.#mode;
    if (isPossible && (await this.#options.onDisplayMode?.(mode)) === true) this.change({ displayMode: mode });
    return { mode: this.#mode };
  }

  /** Applies the size that the app reports. Only used in the mode `inline`. */
  resize(requested: SizeParams): void {
    this.#requestedSize = { ...this.#requestedSize, ...requested };
    this.#fit();
  }

  get #mode(): DisplayMode {
    return this.#context.displayMode ?? "inline";
  }

  #fit(): void {
    const { element, pixels, onSize } = this.#options;
    if (this.#mode !== "inline") return void Object.assign(element.style, { width: "100%", height: "100%" });
    const size = clampSize(this.#requestedSize, this.#context.containerDimensions, pixels);
    element.style.height = size.height === undefined ? "" : `${size.height}px`;
    element.style.width = size.width === undefined ? "100%" : `${size.width}px`;
    if (Object.keys(size).length > 0) onSize?.(size);
  }
}

/** Limits the size that an app reports to the available space. */
function clampSize(requested: SizeParams, available: Dimensions | undefined, max: number): SizeParams {
  const { height, maxHeight, width, maxWidth } = available ?? {};
  return {
    ...side("height", requested.height, { fixed: height, max: maxHeight ?? max }),
    // Without a maximum the frame fills the width of its container.
    ...side("width", maxWidth === undefined ? undefined : requested.width, { fixed: width, max: maxWidth ?? max }),
  };
}

/** The app cannot change a fixed side. */
function side(name: string, requested: number | undefined, { fixed, max }: { fixed: number | undefined; max: number }) {
  if (fixed !== undefined) return { [name]: fixed };
  return requested === undefined ? {} : { [name]: Math.min(Math.ceil(requested), max) };
}

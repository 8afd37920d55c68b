import { BiplaneError } from "../../../errors.ts";
import type { DisplayMode } from "../bridge/capabilities.ts";
import type { HostContext } from "../bridge/context.ts";
import type { SizeParams } from "../bridge/messages.ts";
import { clampSize } from "./sizes.ts";

export interface SurroundingsOptions {
  readonly context: HostContext;
  readonly element: HTMLElement;
  /** The largest side, where the context gives no maximum. */
  readonly pixels: number;
  readonly tell: (changed: HostContext) => void;
  /** The size that the frame has got. */
  readonly onSize?: ((size: SizeParams) => void) | undefined;
  /** The app asks for another display mode, one that both sides know. True says that it is set. */
  readonly onDisplayMode?: ((mode: DisplayMode) => boolean | Promise<boolean>) | undefined;
}

/** Where an app stands in the page: what it is told of that, its size, its display mode. */
export class Surroundings {
  readonly #options: SurroundingsOptions;
  #context: HostContext;
  /** Undefined until the app has said which modes it has. */
  #declared: readonly DisplayMode[] | undefined;
  #asked: SizeParams = {};

  constructor(options: SurroundingsOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#fit();
  }

  get context(): HostContext {
    return this.#context;
  }

  /** An app that names no modes has none but the one it is shown in. */
  declare(modes: readonly DisplayMode[] | undefined): void {
    this.#declared = modes ?? [];
  }

  /** What is not named stays as it is. */
  change(changed: HostContext): void {
    const { displayMode: mode } = changed;
    if (mode !== undefined && mode !== this.#mode && this.#declared && !this.#declared.includes(mode))
      throw new BiplaneError("INVALID_INPUT", `the app is not made to be shown ${mode}`);
    this.#context = { ...this.#context, ...changed };
    if (changed.containerDimensions || mode) this.#fit();
    this.#options.tell(changed);
  }

  /** Gives the mode that holds afterwards, whichever that is. */
  async switchTo(mode: DisplayMode): Promise<{ mode: DisplayMode }> {
    const isOffered = this.#context.availableDisplayModes?.includes(mode) === true;
    const isPossible = isOffered && this.#declared?.includes(mode) === true && mode !== this.#mode;
    if (isPossible && (await this.#options.onDisplayMode?.(mode)) === true) this.change({ displayMode: mode });
    return { mode: this.#mode };
  }

  /** The app says how large it is. In the other modes it is as large as the page makes it. */
  resize(asked: SizeParams): void {
    this.#asked = { ...this.#asked, ...asked };
    this.#fit();
  }

  get #mode(): DisplayMode {
    return this.#context.displayMode ?? "inline";
  }

  #fit(): void {
    const { element, pixels, onSize } = this.#options;
    if (this.#mode !== "inline") return void Object.assign(element.style, { width: "100%", height: "100%" });
    const size = clampSize(this.#asked, this.#context.containerDimensions, pixels);
    element.style.height = size.height === undefined ? "" : `${size.height}px`;
    element.style.width = size.width === undefined ? "100%" : `${size.width}px`;
    if (Object.keys(size).length > 0) onSize?.(size);
  }
}

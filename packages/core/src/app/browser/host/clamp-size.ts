import type { Dimensions } from "../bridge/context.ts";
import type { SizeParams } from "../bridge/messages.ts";

/** Limits the size that an app reports to the available space. */
export function clampSize(requested: SizeParams, available: Dimensions | undefined, max: number): SizeParams {
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

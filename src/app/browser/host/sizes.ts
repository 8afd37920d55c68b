import type { Dimensions } from "../bridge/context.ts";
import type { SizeParams } from "../bridge/messages.ts";

/** The size that a frame gets when its app says how large it is: never more than there is room for. */
export function clampSize(asked: SizeParams, room: Dimensions | undefined, most: number): SizeParams {
  const { height, maxHeight, width, maxWidth } = room ?? {};
  return {
    ...side("height", asked.height, { fixed: height, most: maxHeight ?? most }),
    // Left to itself a frame is as wide as what it stands in.
    ...side("width", maxWidth === undefined ? undefined : asked.width, { fixed: width, most: maxWidth ?? most }),
  };
}

/** A fixed side is not the app's to change. */
function side(name: string, asked: number | undefined, { fixed, most }: { fixed: number | undefined; most: number }) {
  if (fixed !== undefined) return { [name]: fixed };
  return asked === undefined ? {} : { [name]: Math.min(Math.ceil(asked), most) };
}

import type { Pcg64 } from "./pcg64.ts";
import { heights, limits, widths } from "./ziggurat.ts";

/**
 * A standard normal draw with numpy's 256-layer ziggurat. About one draw in 4,000 falls in the tail and uses
 * `Math.log1p`, whose last bit depends on the platform, as in numpy.
 */
export function drawNormal(bits: Pcg64): number {
  for (;;) {
    bits.step();
    const { high, low } = bits;
    const layer = low & 0xff;
    const magnitude = (high & 0x1fffffff) * 2 ** 23 + (low >>> 9);
    const width = magnitude * at(widths, layer);
    const value = low & 0x100 ? -width : width;
    if (magnitude < at(limits, layer)) return value;
    if (layer === 0) return low & 0x20000 ? -drawTail(bits) : drawTail(bits);
    const floor = at(heights, layer);
    const height = (at(heights, layer - 1) - floor) * bits.nextDouble() + floor;
    if (height < Math.exp(-0.5 * value * value)) return value;
  }
}

function drawTail(bits: Pcg64): number {
  for (;;) {
    const beyond = -TAIL_INVERSE * Math.log1p(-bits.nextDouble());
    const bound = -Math.log1p(-bits.nextDouble());
    if (bound + bound > beyond * beyond) return TAIL_START + beyond;
  }
}

const TAIL_START = 3.654152885361009;
const TAIL_INVERSE = 0.27366123732975828;

function at(table: Float64Array, layer: number): number {
  return table[layer] as number;
}

import type { CodeLimits } from "../engine.ts";
import { Guest } from "./guest.ts";
import type { Base, ContextImage } from "./base.ts";

/** Machines without a context. Overwriting their memory is faster than creating new machines. */
export class SpareGuests {
  readonly #spare = new Map<Base, Guest[]>();

  async take(base: Base, limits: CodeLimits, image: ContextImage | undefined): Promise<Guest> {
    const guest = this.#spare.get(base)?.pop();
    if (!guest) return Guest.create(base, limits, image);
    guest.reuse(limits, image);
    return guest;
  }

  /** Keeps a machine for reuse. Machines that have grown are disposed of, because memory cannot shrink. */
  give(guest: Guest): void {
    const spare = this.#spare.get(guest.base) ?? [];
    this.#spare.set(guest.base, spare);
    if (spare.length < maxSpare && guest.bytes <= guest.base.memory.length + maxGrowthBytes) spare.push(guest);
    else guest.dispose();
  }
}

const maxSpare = 4;
const maxGrowthBytes = 1024 * 1024;

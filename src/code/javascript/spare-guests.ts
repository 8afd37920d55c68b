import type { CodeLimits } from "../engine.ts";
import { Guest } from "./guest.ts";
import type { Base, Image } from "./base.ts";

/** Machines whose contexts are gone, for others: to write their memory anew is quicker than to make new ones. */
export class SpareGuests {
  readonly #spare = new Map<Base, Guest[]>();

  async take(base: Base, limits: CodeLimits, image: Image | undefined): Promise<Guest> {
    const guest = this.#spare.get(base)?.pop();
    if (!guest) return Guest.create(base, limits, image);
    guest.reuse(limits, image);
    return guest;
  }

  /** Takes a machine that is whole. One that has grown goes: memory does not shrink. */
  give(guest: Guest): void {
    const spare = this.#spare.get(guest.base) ?? [];
    this.#spare.set(guest.base, spare);
    if (spare.length < mostSpare && guest.bytes <= guest.base.memory.length + mostGrown) spare.push(guest);
    else guest.dispose();
  }
}

const mostSpare = 4;
const mostGrown = 1024 * 1024;

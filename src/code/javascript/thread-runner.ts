import type { CodeHost } from "../engine.ts";
import type { Finished, Place, Runner } from "./context.ts";
import type { Guest, Standing } from "./guest.ts";
import { Output } from "../output.ts";
import { replyTo } from "./reply.ts";
import { SpareGuests } from "./spare-guests.ts";
import { ToolGuide } from "./toolset.ts";

/** Runs actions in this thread, each context in a machine that stays. */
export class ThreadRunner implements Runner {
  readonly #guests = new Map<Place, Guest>();
  readonly #spare = new SpareGuests();
  readonly #guides = new WeakMap<object, ToolGuide>();

  async run(place: Place, code: string, host: CodeHost): Promise<Finished> {
    const { ground, limits, image } = place;
    const guest = this.#guests.get(place) ?? (await this.#spare.take(ground.base, limits, image));
    this.#guests.set(place, guest);
    const standing = await perform(guest, code, { place, host, guide: this.#guideOf(place) });
    if (!standing.isBroken) return { result: standing.result, image: guest.image() };
    this.#guests.delete(place);
    guest.dispose();
    return { result: standing.result, image: undefined };
  }

  forget(place: Place): void {
    const guest = this.#guests.get(place);
    this.#guests.delete(place);
    if (guest) this.#spare.give(guest);
  }

  async close(): Promise<void> {
    for (const guest of this.#guests.values()) guest.dispose();
    this.#guests.clear();
  }

  #guideOf({ ground }: Place): ToolGuide {
    const known = this.#guides.get(ground);
    if (known) return known;
    const guide = new ToolGuide(ground.toolset);
    this.#guides.set(ground, guide);
    return guide;
  }
}

/** One action, from its start through all its calls. */
function perform(
  guest: Guest,
  code: string,
  { place, host, guide }: { place: Place; host: CodeHost; guide: ToolGuide },
): Promise<Exclude<Standing, "waiting">> {
  return new Promise((resolve) => {
    const { limits } = place;
    const { signal } = host;
    const progress = { limits, output: new Output(limits.outputBytes), calls: 0, open: 0, cpuMs: 0, reply: undefined };
    let isOver = false;
    const conclude = (standing: Standing) => {
      if (standing === "waiting" || isOver) return;
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      resolve(standing);
    };
    const onAbort = () => conclude(guest.stopped());
    signal.addEventListener("abort", onAbort);
    const started = guest.start(code, progress, {
      guide,
      isStopped: () => signal.aborted,
      call: (id, tool, input) => {
        const reply = replyTo(host, tool, input);
        if (typeof reply === "string") return reply;
        void reply.then((text) => {
          if (!isOver) conclude(guest.settle(id, text));
        });
        return undefined;
      },
    });
    started.then(conclude, () => conclude(guest.stopped()));
  });
}

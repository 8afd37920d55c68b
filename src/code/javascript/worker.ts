import { parentPort } from "node:worker_threads";
import type { Base } from "./base.ts";
import type { Guest, GuestHost, Progress, Standing } from "./guest.ts";
import type { FromWorker, Printed, Replies, Said, SavedProgress, Seat, ToWorker } from "./messages.ts";
import { Output } from "../output.ts";
import { SpareGuests } from "./spare-guests.ts";
import { ToolGuide } from "./toolset.ts";

/** The entry of a worker: runs one action at a time, and keeps machines for contexts that may come again. */
const grounds = new Map<number, { base: Base; guide: ToolGuide }>();
const guests = new Map<number, Guest>();
const spare = new SpareGuests();
let action: { readonly seat: Seat; readonly guest: Guest; readonly progress: Progress } | undefined;
let heard = 0;
let toldBytes = 0;

parentPort?.on("message", (message: ToWorker) => {
  void hear(message);
});
parentPort?.postMessage({ kind: "ready" } satisfies FromWorker, []);

async function hear(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case "ground":
      grounds.set(message.ground, { base: message.base, guide: new ToolGuide(message.toolset) });
      return;
    case "start":
      return begin(message.place, undefined, (guest, progress, host) => guest.start(message.code, progress, host));
    case "resume":
      return begin(message.place, message.progress, (guest, progress, host) => {
        guest.resume(progress, host);
        return settleAll(guest, message.replies);
      });
    case "replies":
      heard++;
      if (action) tell(settleAll(action.guest, message.replies));
      return;
    case "park":
      return park();
    case "abandon":
      if (action) discard(action.seat.context);
      action = undefined;
      return;
    case "forget":
      for (const context of message.contexts) drop(context);
  }
}

async function begin(
  seat: Seat,
  saved: SavedProgress | undefined,
  start: (guest: Guest, progress: Progress, host: GuestHost) => Standing | Promise<Standing>,
): Promise<void> {
  heard = 1;
  toldBytes = 0;
  const ground = grounds.get(seat.ground);
  if (!ground) throw new Error("a worker was given an action before its tools");
  if (!seat.isHere) drop(seat.context);
  const { limits } = seat;
  const guest = guests.get(seat.context) ?? (await spare.take(ground.base, limits, seat.image));
  guests.set(seat.context, guest);
  const output = new Output(limits.outputBytes, saved?.output);
  const fresh = { calls: 0, open: 0, cpuMs: 0, reply: undefined };
  const progress: Progress = { ...fresh, ...saved, limits, output };
  const mine = (action = { seat, guest, progress });
  const standing = await start(guest, progress, {
    guide: ground.guide,
    isStopped: () => false,
    call: (id, tool, input) => {
      say(seat, { kind: "call", id, tool, input });
      return undefined;
    },
  });
  if (action === mine) tell(standing);
}

function settleAll(guest: Guest, replies: Replies): Standing {
  let standing: Standing = "waiting";
  for (const [id, reply] of replies) {
    standing = guest.settle(id, reply);
    if (standing !== "waiting") break;
  }
  return standing;
}

function tell(standing: Standing): void {
  if (!action) return;
  const { seat, guest, progress } = action;
  if (standing === "waiting") return tellWaiting(seat, progress);
  const { result, isBroken } = standing;
  action = undefined;
  const image = isBroken ? undefined : guest.image();
  const { bytes } = guest;
  if (isBroken) discard(seat.context);
  say(seat, { kind: "over", result, image, bytes }, image && [image.pages.buffer as ArrayBuffer]);
}

function tellWaiting(seat: Seat, { cpuMs, output }: Progress): void {
  const bytes = output.stdout.length + output.stderr.length;
  say(seat, { kind: "waiting", heard, cpuMs, output: bytes > toldBytes ? printed(output) : undefined });
  toldBytes = bytes;
}

function park(): void {
  if (!action) return;
  const { seat, guest, progress } = action;
  const { output, calls, open, cpuMs, reply } = progress;
  const image = guest.image();
  action = undefined;
  drop(seat.context);
  const saved = { output: printed(output), calls, open, cpuMs, reply };
  say(seat, { kind: "parked", image, progress: saved }, [image.pages.buffer as ArrayBuffer]);
}

/** Lets go of a context's machine, for another to use. */
function drop(context: number): void {
  const guest = guests.get(context);
  guests.delete(context);
  if (guest) spare.give(guest);
}

/** Throws a machine away in which something may still be under way. */
function discard(context: number): void {
  guests.get(context)?.dispose();
  guests.delete(context);
}

function printed({ stdout, stderr, isCut }: Output): Printed {
  return { stdout, stderr, isCut };
}

function say({ action }: Seat, said: Said, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage({ action, ...said } satisfies FromWorker, transfer);
}

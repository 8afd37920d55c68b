import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import { bootSource } from "./guest/boot.ts";
import { makeImage } from "./image.ts";
import { Machine, stackBytes } from "./machine.ts";
import type { Ending, FromWorker, Opening, SavedState, ToWorker, WorkerSetup } from "./messages.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { patchModule } from "./patch-module.ts";
import { loadScratch, saveScratch } from "./scratch-archive.ts";
import { GuestExit } from "./wasi/wasi.ts";

/** The entry of a worker: it has one interpreter, which takes one message after another. */
const { answers, answerCount } = workerData as WorkerSetup;
const counter = new Int32Array(answerCount);

let machine: Machine | undefined;
let opening: Opening | undefined;
let output: OutputBuffer | undefined;
let said: string | undefined;
let guestMs = 0;
let resumedAt = 0;

parentPort?.on("message", (message: ToWorker) => {
  try {
    post(handle(message));
  } catch (error) {
    post({ kind: "failed", message: messageOf(error) });
  }
});

function handle(message: ToWorker): FromWorker {
  switch (message.kind) {
    case "prepare":
      return prepare(message);
    case "start":
      machine = undefined;
      machine = new Machine(message.image, {
        print: (stream, bytes) => output?.write(stream, bytes),
        answer,
        scratch: { bytes: message.scratchBytes, nodes: 2000 },
      });
      return { kind: "started" };
    case "open":
      opening = message.opening;
      output = new OutputBuffer(opening.output);
      machine?.seed(opening.seed);
      if (opening.saved) restore(opening.saved);
      return take(message.order);
    case "act":
      return take(message.order);
  }
}

function prepare({ file, withImage, ...limits }: Extract<ToWorker, { kind: "prepare" }>): FromWorker {
  const source = readFileSync(file);
  const memoryBytes = limits.memoryBytes + stackBytes;
  const module = new WebAssembly.Module(patchModule(source, { memoryBytes, withoutData: true }));
  if (!withImage) return { kind: "prepared", module, image: undefined };
  const whole = new WebAssembly.Module(patchModule(source, { memoryBytes, withoutData: false }));
  const made = makeImage(whole, bootSource);
  const fingerprint = createHash("sha256").update(Buffer.from(made.memory)).digest("hex");
  return { kind: "prepared", module, image: { ...made, fingerprint } };
}

function take(order: string): FromWorker {
  said = undefined;
  guestMs = 0;
  resumedAt = performance.now();
  const ending = enter(Buffer.from(order));
  post({ kind: "done", ending });
  // Saved after the answer has gone out, so that nobody waits for it.
  return { kind: "rested", saved: ending.kind === "answered" && opening?.isSaving ? save() : undefined };
}

function enter(order: Uint8Array): Ending {
  try {
    if (!machine?.enter(order) || said === undefined) return { kind: "broken" };
    return { kind: "answered", text: said };
  } catch (error) {
    if (error instanceof GuestExit) return { kind: "exited" };
    // Only the guest's own code runs in there, and what it can do to itself is to run out of stack or to trap.
    return { kind: isOverflow(error) ? "overflowed" : "broken" };
  }
}

function isOverflow(error: unknown): boolean {
  return error instanceof RangeError || /memory access out of bounds/.test(messageOf(error));
}

/** A result is kept; everything else the guest says goes to the host, and the guest sleeps meanwhile. */
function answer(message: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("latin1");
  if (text.startsWith("R")) {
    said = text.slice(1);
    return undefined;
  }
  if (text.length > (opening?.callBytes ?? 0) + 1) return Buffer.from(tooLong);
  guestMs += performance.now() - resumedAt;
  const before = Atomics.load(counter, 0);
  post({ kind: "asked", text: text.slice(1), guestMs });
  Atomics.wait(counter, 0, before);
  resumedAt = performance.now();
  const received = receiveMessageOnPort(answers);
  return Buffer.from((received?.message as string | undefined) ?? lineBroken);
}

const tooLong = '{"error":"the message is too long","code":"INVALID_INPUT"}';
const lineBroken = '{"error":"the host gave no answer","code":"INTERNAL"}';

function save(): SavedState | undefined {
  if (!machine) return undefined;
  return {
    pages: machine.changedPages(),
    files: saveScratch(machine.files, machine.descriptors),
  };
}

function restore({ pages, files }: SavedState): void {
  machine?.restore(pages);
  if (machine) loadScratch(files, machine);
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message, transferable(message));
}

function transferable(message: FromWorker): ArrayBuffer[] {
  if (message.kind !== "rested" || !message.saved) return [];
  return [message.saved.pages.buffer as ArrayBuffer, message.saved.files.buffer as ArrayBuffer];
}

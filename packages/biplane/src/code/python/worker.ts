import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { messageOf } from "@biplane/core/internal";
import { boundsFault, callBounds } from "../json-bounds.ts";
import { ownTime, threadId } from "../thread-time.ts";
import { bootSource } from "./guest/boot.ts";
import { createImage } from "./image.ts";
import { Machine, stackBytes } from "./machine.ts";
import type {
  GuestEnding,
  PythonWorkerMessage,
  ContextSetup,
  SavedState,
  PythonWorkerRequest,
  WorkerSetup,
} from "./messages.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { patchModule } from "./patch-module.ts";
import { loadScratch, saveScratch } from "./scratch-archive.ts";
import { GuestExit } from "./wasi/wasi.ts";

/** Worker entry. It has one interpreter, which handles one message at a time. */
const { answers, answerCount } = workerData as WorkerSetup;
const counter = new Int32Array(answerCount);

let machine: Machine | undefined;
let setup: ContextSetup | undefined;
let output: OutputBuffer | undefined;
let result: string | undefined;
let guestMs = 0;
let resumedAt = 0;

parentPort?.on("message", (message: PythonWorkerRequest) => {
  try {
    post(handle(message));
  } catch (error) {
    post({ kind: "failed", message: messageOf(error) });
  }
});

function handle(message: PythonWorkerRequest): PythonWorkerMessage {
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
      return { kind: "started", thread: threadId() };
    case "open":
      setup = message.setup;
      output = new OutputBuffer(setup.output);
      machine?.seed(setup.seed);
      if (setup.saved) restore(setup.saved);
      return take(message.message);
    case "act":
      return take(message.message);
  }
}

function prepare({
  file,
  withImage,
  ...limits
}: Extract<PythonWorkerRequest, { kind: "prepare" }>): PythonWorkerMessage {
  const source = readFileSync(file);
  const memoryBytes = limits.memoryBytes + stackBytes;
  const module = new WebAssembly.Module(patchModule(source, { memoryBytes, withoutData: true }));
  if (!withImage) return { kind: "prepared", module, image: undefined };
  const whole = new WebAssembly.Module(patchModule(source, { memoryBytes, withoutData: false }));
  const made = createImage(whole, bootSource);
  const fingerprint = createHash("sha256").update(Buffer.from(made.memory)).digest("hex");
  return { kind: "prepared", module, image: { ...made, fingerprint } };
}

function take(message: string): PythonWorkerMessage {
  result = undefined;
  guestMs = 0;
  resumedAt = ownTime().awake();
  const ending = enter(Buffer.from(message));
  post({ kind: "done", ending });
  // Save after sending the answer, so that the caller does not wait for it.
  return { kind: "rested", saved: ending.kind === "answered" && setup?.isSaving ? save() : undefined };
}

function enter(message: Uint8Array): GuestEnding {
  try {
    if (!machine?.enter(message) || result === undefined) return { kind: "broken" };
    return { kind: "answered", text: result };
  } catch (error) {
    if (error instanceof GuestExit) return { kind: "exited" };
    // Only guest code runs here, so this is a stack overflow or a trap.
    const isOverflow = error instanceof RangeError || /memory access out of bounds/.test(messageOf(error));
    return { kind: isOverflow ? "overflowed" : "broken" };
  }
}

/** Keeps a result. Sends any other message to the host and blocks until it answers. */
function answer(message: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("latin1");
  if (text.startsWith("R")) {
    result = text.length > (setup?.answerLength ?? Infinity) ? "" : text.slice(1);
    return undefined;
  }
  const request = text.slice(1);
  const fault = boundsFault(request, { ...callBounds, length: setup?.callBytes ?? 0 });
  if (fault !== undefined)
    return Buffer.from(JSON.stringify({ error: `Invalid arguments: ${fault}.`, code: "INVALID_INPUT" }));
  guestMs += ownTime().awake() - resumedAt;
  const before = Atomics.load(counter, 0);
  post({ kind: "asked", text: request, guestMs });
  Atomics.wait(counter, 0, before);
  resumedAt = ownTime().awake();
  const received = receiveMessageOnPort(answers);
  return Buffer.from((received?.message as string | undefined) ?? noAnswer);
}

const noAnswer = '{"error":"The host gave no answer.","code":"INTERNAL"}';

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

function post(message: PythonWorkerMessage): void {
  parentPort?.postMessage(message, []);
}

import { QuickJS } from "quickjs-wasi";
import { tool } from "biplane";
import type { Tool } from "biplane";
import { machineOptions } from "../../packages/biplane/src/code/javascript/base.ts";
import type { Base } from "../../packages/biplane/src/code/javascript/base.ts";
import type { ToolBindings } from "../../packages/biplane/src/code/javascript/engine.ts";
import { describeToolset, ToolGuide } from "../../packages/biplane/src/code/javascript/toolset.ts";
import { wasmModule } from "../../packages/biplane/src/code/javascript/wasm-module.ts";

export const rawTools: readonly Tool[] = ["echo", "later", "broken"].map((name) =>
  tool({
    name,
    description: name,
    input: { type: "object", properties: { a: {} }, additionalProperties: true },
    run: () => undefined,
  }),
);

/**
 * A machine without our prelude: code has the functions of the host themselves, as if it had found a way around it.
 * `pending` collects what the host settles.
 */
export async function rawBindings(memoryBytes: number): Promise<ToolBindings> {
  const toolset = describeToolset(rawTools);
  const base = await rawBase(memoryBytes);
  return { toolset, guide: new ToolGuide(toolset), base };
}

const bridge = `(function (call, print, done, meta) {
  globalThis.host = { call, print, done, meta, settled: [] };
  const settle = (id, reply) => void host.settled.push([id, reply]);
  const watch = async (promise) => {
    try { const { value } = await promise; host.done(host.forged ?? "=" + JSON.stringify((await value) ?? null)); }
    catch (error) { host.done(host.forged ?? "!" + JSON.stringify({ name: "Error", message: String(error) })); }
  };
  return [settle, watch];
})`;

async function rawBase(memoryBytes: number): Promise<Base> {
  const module = await wasmModule(memoryBytes);
  const machine = await QuickJS.create(machineOptions(module, () => false));
  const hosts = ["call", "print", "done", "meta"].map((name) => machine.newFunction(name, () => machine.undefined));
  const parts = machine.callFunction(machine.evalCode(bridge), machine.undefined, ...hosts);
  const settle = machine.exportHandle(machine.getProp(parts, machine.newNumber(0)));
  const watch = machine.exportHandle(machine.getProp(parts, machine.newNumber(1)));
  const nothing = machine.exportHandle(machine.callFunction(machine.evalCode("() => {}"), machine.undefined));
  const { memory, stackPointer, runtimePtr, contextPtr } = machine.snapshot();
  const shared = new Uint8Array(new SharedArrayBuffer(memory.length));
  shared.set(memory);
  return { module, memory: shared, landmarks: { stackPointer, runtimePtr, contextPtr, settle, watch, nothing } };
}

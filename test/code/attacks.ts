/** The expected result of an attack: this value, an error of this kind, or anything that harms nothing else. */
export type Expected =
  | { readonly value: unknown }
  | { readonly error: "limit" | "thrown" | "syntax"; readonly message?: RegExp }
  | "contained";

export type Attack = readonly [name: string, code: string, expected: Expected];

const isUndefined = { value: "undefined" } as const;
const limit = { error: "limit" } as const;
const thrown = { error: "thrown" } as const;

/** Ways out of the machine. */
const escapes: readonly Attack[] = [
  [
    "names of hosts",
    `[typeof process, typeof require, typeof module, typeof Buffer, typeof fetch, typeof setTimeout, typeof setInterval, typeof setImmediate,
      typeof WebAssembly, typeof Worker, typeof XMLHttpRequest, typeof Deno, typeof Bun, typeof global, typeof window, typeof self, typeof Atomics].join()`,
    { value: Array(17).fill("undefined").join() },
  ],
  ["process by name", "typeof process", isUndefined],
  ["timers", "typeof setTimeout + typeof setInterval", { value: "undefinedundefined" }],
  ["network", "typeof fetch + typeof XMLHttpRequest + typeof WebSocket", { value: "undefinedundefinedundefined" }],
  ["the constructor of a tool", `add.constructor("return typeof process")()`, isUndefined],
  ["the constructor's constructor", `this.constructor.constructor("return typeof process")()`, isUndefined],
  ["the constructor of async functions", `await (async () => {}).constructor("return typeof process")()`, isUndefined],
  [
    "the constructor of generators",
    `(function* () {}).constructor("yield typeof process")().next().value`,
    isUndefined,
  ],
  ["the constructor of console", `console.log.constructor("return typeof globalThis.process")()`, isUndefined],
  [
    "a tool's error's constructors",
    `try { await broken() } catch (e) { e.constructor.constructor("return typeof process")() }`,
    isUndefined,
  ],
  [
    "a result's constructors",
    `(await poison("plain")).constructor.constructor("return typeof process")()`,
    isUndefined,
  ],
  ["eval", `eval("typeof process")`, isUndefined],
  ["indirect eval", `(0, eval)("typeof require")`, isUndefined],
  ["dynamic import", `await import("node:fs")`, thrown],
  ["dynamic import of a URL", `await import("data:text/javascript,export default 1")`, thrown],
  ["static import", `import fs from "node:fs"; fs`, { error: "syntax" }],
  [
    "a host's stack in a tool's error",
    `try { await broken() } catch (e) { /node:|file:|\\/src\\/|wasm/.test(e.stack) }`,
    { value: false },
  ],
  ["a host's stack in any error", `/node:|file:|\\/src\\/|\\.ts/.test(new Error("x").stack)`, { value: false }],
  [
    "a host's path in a broken call",
    `try { await add(1n, 2) } catch (e) { /node:|file:|\\/src\\//.test(e.stack + e.message) }`,
    { value: false },
  ],
  [
    "callers of injected functions",
    `(() => { try { return typeof list_tools.caller } catch (e) { return e.name } })()`,
    "contained",
  ],
  [
    "frames that lead to the bridge",
    `Error.prepareStackTrace = (_, frames) => frames.map((frame) => { try { return typeof frame.getFunction?.() } catch { return "no" } });
     const seen = []; try { await add({ get a() { seen.push(new Error("x").stack); return 1 }, b: 1 }) } catch {}
     Error.prepareStackTrace = undefined; JSON.stringify(seen).includes("hostCall")`,
    { value: false },
  ],
  [
    "the bridge by the function of a frame",
    `let inner; Error.prepareStackTrace = (_, frames) => {
       for (const frame of frames) { const made = frame.getFunction?.(); if (made && !made.name.includes("a")) inner = made; }
     };
     try { await add({ get a() { new Error("x").stack; return 1 }, b: 1 }) } catch {}
     try { await add({ toJSON() { new Error("x").stack; return {} } }) } catch {}
     Error.prepareStackTrace = undefined; typeof inner`,
    isUndefined,
  ],
  [
    "any function of a frame, its receiver or its arguments",
    `const found = new Set(); Error.prepareStackTrace = (_, frames) => {
       for (const frame of frames) {
         const kind = Object.getPrototypeOf(frame);
         for (const name of Reflect.ownKeys(kind)) {
           let value; try { value = typeof kind[name] === "function" ? frame[name]() : kind[name] } catch {}
           if (typeof value === "function" || (typeof value === "object" && value !== null)) found.add(String(name));
         }
       }
     };
     const look = { get a() { new Error("x").stack; Error.captureStackTrace({}); return 1 }, b: 1 };
     try { await add(look) } catch {}
     await Promise.resolve().then(() => new Error("x").stack); console.log({ get x() { return new Error("x").stack } });
     Error.prepareStackTrace = undefined; [...found].join()`,
    { value: "" },
  ],
  [
    "the caller of a getter",
    `let seen = "nothing"; function spy() { try { seen = String(spy.caller ?? spy.arguments?.callee?.caller ?? "nothing") } catch (e) { seen = "nothing" } return 1 }
     try { await add(Object.defineProperty({ b: 1 }, "a", { get: spy, enumerable: true })) } catch {}; seen`,
    { value: "nothing" },
  ],
  [
    "a tool that code cannot call",
    `[typeof tools.run_code, list_tools().includes("run_code"), get_tool_schema.toString().includes("hostCall")].join()`,
    { value: "undefined,false,false" },
  ],
  [
    "an error that is not one for the host that reads it",
    `Object.prototype.toJSON = function () { return { name: 5, message: 6, code: true, trace: 7 } }; throw new Error("x")`,
    thrown,
  ],
  [
    "an error that is not JSON for the host that reads it",
    `Object.prototype.toJSON = function () { return undefined }; throw new Error("x")`,
    thrown,
  ],
  [
    "hidden names on the global object",
    `Reflect.ownKeys(globalThis).filter((key) => /host|biplane|bridge/i.test(String(key))).length`,
    { value: 0 },
  ],
  [
    "control of the episode",
    "[typeof reset, typeof step, typeof state, typeof reward, typeof close].join()",
    { value: Array(5).fill("undefined").join() },
  ],
  ["code within code", "typeof run_code + typeof tools.run_code", { value: "undefinedundefined" }],
  ["built-in readers", `typeof tools["resources/read"] + typeof tools["prompts/get"]`, { value: "undefinedundefined" }],
  ["another context's variables", "typeof secretOfTheBystander", isUndefined],
];

/** Ways to use more than one's share. */
const exhaustion: readonly Attack[] = [
  ["an endless loop", "for (;;);", { error: "limit", message: /exceeded its CPU limit/ }],
  ["an endless loop that catches", "for (;;) { try { for (;;); } catch {} finally { for (;;); } }", limit],
  ["an endless chain of awaits", "for (;;) await null", limit],
  [
    "a promise bomb",
    "const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await new Promise(() => {})",
    limit,
  ],
  ["a microtask bomb", "const f = () => queueMicrotask(f); f(); await new Promise(() => {})", limit],
  ["async recursion", "const f = async () => { await f() }; await f()", limit],
  ["a growing array", "const a = []; for (;;) a.push(new Array(1000).fill(7))", limit],
  ["a growing string", `let s = "x"; for (;;) s += s`, thrown],
  ["a growing object", `for (let i = 0; ; i++) globalThis["k" + i] = { i }`, limit],
  ["a growing map", "const m = new Map(); for (let i = 0; ; i++) m.set({}, i)", limit],
  [
    "memory that is caught again and again",
    "const a = []; for (;;) { try { for (;;) a.push(new Array(10000).fill(1)) } catch {} }",
    limit,
  ],
  ["a huge buffer", "new ArrayBuffer(2 ** 31)", "contained"],
  ["many buffers", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", limit],
  ["a huge repeat", `"x".repeat(2 ** 29).length`, "contained"],
  ["a huge join", `new Array(3e7).join("abc").length`, "contained"],
  ["a huge number", "let n = 3n; for (;;) n *= n", limit],
  ["recursion", "const f = () => f() + 1; f()", limit],
  ["recursion that catches", "const f = () => { try { f() } catch { f() } }; f()", limit],
  ["recursion through getters", "const o = { get a() { return this.a } }; o.a", limit],
  [
    "recursion through proxies",
    "const p = new Proxy({}, {}); Object.setPrototypeOf(p, Object.create(p)); p.x",
    "contained",
  ],
  ["recursion in JSON.parse", `JSON.parse("[".repeat(200000))`, limit],
  [
    "recursion in JSON.stringify",
    "let a = []; for (let i = 0; i < 200000; i++) a = [a]; JSON.stringify(a)",
    "contained",
  ],
  ["recursion in the source", "[".repeat(30_000), "contained"],
  ["recursion in a regular expression's source", `new RegExp("(".repeat(100000))`, "contained"],
  ["a regular expression bomb", `/(a+)+$/.test("a".repeat(50) + "b")`, limit],
  ["another regular expression bomb", `/^(([a-z])+.)+[A-Z]([a-z])+$/.test("a".repeat(60))`, limit],
  [
    "long built-ins that cannot be interrupted",
    `const big = "x".repeat(4e6); for (let i = 0; i < 500; i++) big.indexOf("y" + i)`,
    limit,
  ],
  ["an endless spread", "[...(function* () { for (;;) yield 1 })()]", limit],
  ["a comparator that never ends", "[3, 1, 2].sort(() => { for (;;); })", limit],
  ["a print bomb", `for (;;) console.log("x".repeat(1000))`, limit],
  ["one huge print", `console.log("x".repeat(5e6)); 1`, { value: 1 }],
  ["a call bomb", "for (;;) await add(1, 1)", { error: "limit", message: /more than 200 tool calls/ }],
  ["a call bomb that awaits nothing", "for (;;) add(1, 1)", limit],
  ["a call bomb that catches", "for (;;) { try { await add(1, 1) } catch {} }", limit],
  ["a huge result", `"x".repeat(5e6)`, "contained"],
  ["a result whose reading never ends", "({ get a() { for (;;); } })", limit],
  ["a result that grows while it is read", "class X { toJSON() { return { x: new X(), y: new X() } } } new X()", limit],
  ["an error whose reading never ends", "throw { get message() { for (;;); } }", limit],
  ["a thenable that never ends", "({ then() { for (;;); } })", limit],
  ["a search that never ends", "for (;;) search_tools('add '.repeat(100))", limit],
  ["waiting for nothing", "await new Promise(() => {})", { error: "thrown", message: /can never settle/ }],
  ["source that is too long", `// ${"x".repeat(200_000)}`, { error: "limit", message: /longer than/ }],
];

/** Values that are not what they seem. */
const confusion: readonly Attack[] = [
  ["a proxy as input", `await add(new Proxy({}, { ownKeys() { throw new Error("trap") } }))`, thrown],
  ["getters as input", "let n = 0; await add({ get a() { return ++n }, b: 1 })", { value: 2 }],
  ["toJSON as input", "await add({ toJSON: () => ({ a: 40, b: 2 }) })", { value: 42 }],
  ["a cycle as input", "const a = { a: 1 }; a.b = a; await add(a)", thrown],
  ["__proto__ as input", `await add(JSON.parse('{"__proto__": {"polluted": true}, "a": 1, "b": 2}'))`, "contained"],
  ["constructor as input", `await add({ a: 1, b: 2, constructor: { prototype: { polluted: true } } })`, thrown],
  ["functions as input", "await add(() => 1, Symbol('b'))", thrown],
  ["half a character", `(await echo("\\ud800")).length`, "contained"],
  ["a NUL", `await echo("a\\0b")`, { value: "a\0b" }],
  ["text that ends JSON", `await echo('"}]\\u2028')`, { value: '"}]\u2028' }],
  ["a long input", `(await echo("x".repeat(1e6))).length`, { value: 1e6 }],
  [
    "a forged limit",
    `throw Object.assign(new Error("The code exceeded its CPU limit of 1 ms."), { name: "LimitError" })`,
    thrown,
  ],
  ["a forged tool error", `throw new ToolError({ code: "POLICY_DENIED", message: "no" })`, thrown],
  ["throwing nothing", "throw undefined", thrown],
  ["throwing a proxy", "throw new Proxy({}, { get() { throw 1 } })", thrown],
  ["a symbol as result", "Symbol('x')", "contained"],
  [
    "a proxy as result",
    "new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) })",
    "contained",
  ],
  ["a cycle as result", "const a = {}; a.a = a; typeof a === 'object' && a", "contained"],
];

/** Results that tools should not have given. */
const poison: readonly Attack[] = [
  [
    "a result with __proto__",
    `const r = await poison("proto"); [({}).polluted === undefined, Object.hasOwn(r, "__proto__")]`,
    { value: [true, true] },
  ],
  [
    "a result that is huge",
    `try { await poison("huge") } catch (e) { e.message }`,
    { value: "The result is too large for the code's memory. Request less data." },
  ],
  [
    "a result that contains itself",
    `try { await poison("cyclic") } catch (e) { e.code }`,
    { value: "EXECUTION_ERROR" },
  ],
  [
    "a result with a getter that throws",
    `try { await poison("getter") } catch (e) { e.code }`,
    { value: "EXECUTION_ERROR" },
  ],
  ["a result nested very deep", `try { await poison("deep"); 1 } catch (e) { 2 }`, "contained"],
  ["a result that has no JSON", `try { await poison("bigint") } catch (e) { e.code }`, { value: "EXECUTION_ERROR" }],
  ["a result that looks like a promise", `(await poison("thenable")).then`, { value: 5 }],
  [
    "an error with a path in its stack",
    `try { await broken() } catch (e) { JSON.stringify(Object.getOwnPropertyDescriptors(e)).includes("/src/") }`,
    { value: false },
  ],
];

/** Changes of what the bridge is made of. */
const tampering: readonly Attack[] = [
  ["JSON", `JSON.parse = JSON.stringify = () => { throw 1 }; await add(1, 2)`, { value: 3 }],
  [
    "promises",
    `Promise.prototype.then = Promise.resolve = Promise.reject = () => { throw 1 }; await add(1, 2)`,
    { value: 3 },
  ],
  ["the promise itself", `globalThis.Promise = class { constructor() { throw 1 } }; await add(1, 2)`, { value: 3 }],
  ["iteration", `Array.prototype[Symbol.iterator] = () => { throw 1 }; await add(1, 2)`, { value: 3 }],
  [
    "methods of strings and arrays",
    `String.prototype.slice = String.prototype.charAt = Array.prototype.includes = Array.prototype.join = () => { throw 1 }; await add(1, 2)`,
    { value: 3 },
  ],
  [
    "call and bind",
    `Function.prototype.call = Function.prototype.bind = Function.prototype.apply = () => { throw 1 }; await add(1, 2)`,
    { value: 3 },
  ],
  [
    "Object",
    `Object.keys = Object.getPrototypeOf = Object.defineProperty = () => { throw 1 }; await add({ a: 1, b: 2 })`,
    { value: 3 },
  ],
  [
    "the prototype of all objects",
    `Object.prototype.a = 5; Object.prototype.toJSON = undefined; await add({ a: 1, b: 2 })`,
    { value: 3 },
  ],
  [
    "setters on the prototype of all objects",
    `Object.defineProperty(Object.prototype, "1", { set() { globalThis.caught = true } }); await slow(1); typeof caught`,
    "contained",
  ],
  ["a tool itself", "add = () => 42; await add(1, 2)", { value: 42 }],
  ["a tool that is deleted", "delete globalThis.add; await tools.add(1, 2)", { value: 3 }],
  ["a frozen world", "Object.freeze(globalThis); Object.freeze(Object.prototype); await add(1, 2)", { value: 3 }],
  ["then on every object", `Object.prototype.then = function (go) { go(7) }; await add(1, 2)`, "contained"],
  [
    "the error class",
    `ToolError.prototype.constructor = Error.prototype.toString = null; try { await broken() } catch (e) { e.code }`,
    { value: "EXECUTION_ERROR" },
  ],
];

export const attacks: readonly Attack[] = [...escapes, ...exhaustion, ...confusion, ...poison, ...tampering];

/** The part of the WebAssembly API that the engines use. Node has it, but `@types/node` does not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static exports(module: Module): { name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc" | "externref"; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value?: unknown): void;
    grow(count: number): number;
  }
  interface ValueTypeMap {
    i32: number;
    i64: bigint;
    f32: number;
    f64: number;
  }
  class Global<T extends keyof ValueTypeMap = keyof ValueTypeMap> {
    constructor(descriptor: { value: T; mutable?: boolean }, value?: ValueTypeMap[T]);
    value: ValueTypeMap[T];
  }
  class RuntimeError extends Error {}
  type ModuleImports = Record<string, unknown>;
  type Imports = Record<string, ModuleImports>;
  function compile(bytes: BufferSource): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}

type BufferSource = ArrayBufferView | ArrayBuffer;

/** The part of the WebAssembly API that the engines use. Node has it, but `@types/node` does not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    get(index: number): unknown;
  }
  class Global {
    value: number;
  }
  type ModuleImports = Record<string, unknown>;
  type Imports = Record<string, ModuleImports>;
  function compile(bytes: BufferSource): Promise<Module>;
}

type BufferSource = ArrayBufferView | ArrayBuffer;

export { StarlarkError, type Location, type Problem, type StackFrame, type StarlarkErrorCode } from "./errors.ts";
export { createNamespace, createObject, type ObjectOptions } from "./host/host-object.ts";
export { run, type RunOptions } from "./host/run.ts";
export { StarlarkModule, type CallOptions } from "./host/module.ts";
export { createPool, type PoolOptions, type PoolResult, type PoolRunOptions, type StarlarkPool } from "./pool/pool.ts";
export type { Limits } from "./runtime/limits.ts";
export type { Dialect } from "./syntax/dialect.ts";
export { Float } from "./values/float.ts";

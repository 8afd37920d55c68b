/** Continues with a value or a promise, without making synchronous work asynchronous. */
export function chain<In, Out>(value: In | Promise<In>, next: (value: In) => Out | Promise<Out>): Out | Promise<Out> {
  return value instanceof Promise ? value.then(next) : next(value);
}

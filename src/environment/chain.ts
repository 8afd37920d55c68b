/** Goes on with a value now, or with a promise's value when it is there: what is synchronous stays so. */
export function chain<In, Out>(value: In | Promise<In>, next: (value: In) => Out | Promise<Out>): Out | Promise<Out> {
  return value instanceof Promise ? value.then(next) : next(value);
}

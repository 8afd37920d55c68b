/** A signal that aborts when the user presses Ctrl-C, which ends the program again after it is disposed. */
export function interruptSignal(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt);
  return { signal: stop.signal, [Symbol.dispose]: () => void process.off("SIGINT", onInterrupt) };
}

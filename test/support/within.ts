/** How long a test waits for what should come at once. */
export const patienceMs = 3000;

/** The promise, or an error that names what did not happen in time. For what must never be left pending. */
export async function within<T>(ms: number, what: string, promise: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An exception of the reference implementation, which tools answer with as text. */
export class PythonError extends Error {
  /** True if the reference quotes Python or pydantic, which our text does not. */
  readonly isLoose: boolean;

  constructor(message: string, options: { isLoose?: boolean } = {}) {
    super(message);
    this.isLoose = options.isLoose ?? false;
  }
}

/** The value that was looked for. Throws if there is none. */
export function found<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new PythonError(message);
  return value;
}

/** A KeyError, whose text is the quoted key. */
export function keyError(key: string): PythonError {
  return new PythonError(`'${key}'`);
}

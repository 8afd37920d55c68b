/**
 * Where durable things live: records of JSON in named collections, and logs of lines. Every write has reached the disk
 * when its promise resolves.
 */
export interface Store extends Logs, AsyncDisposable {
  get(collection: string, key: string): Promise<StoredRecord | undefined>;
  put(collection: string, key: string, record: StoredRecord): Promise<void>;
  delete(collection: string, key: string): Promise<boolean>;
  /**
   * Puts what `change` makes of the record, with nobody else writing in between; the same record or undefined leaves
   * it as it is. Resolves to the record that is there afterwards.
   */
  change(
    collection: string,
    key: string,
    change: (record: StoredRecord | undefined) => StoredRecord | undefined,
  ): Promise<StoredRecord | undefined>;
  /** Records in the order of their keys. */
  list(
    collection: string,
    options?: { after?: string; limit?: number },
  ): Promise<readonly (readonly [string, StoredRecord])[]>;
  close(): Promise<void>;
}

export type StoredRecord = { readonly [key: string]: unknown };

/** Named logs that only grow. The lines of each are numbered from 1, without gaps, whoever appends. */
export interface Logs {
  /**
   * Appends all lines or none. A function makes them from the last line that is there, with nobody else appending in
   * between; it may be called again if the store has to start over. A line is well-formed text without a NUL.
   */
  append(log: string, lines: readonly string[] | ((last: LogLine | undefined) => readonly string[])): Promise<void>;
  /** Lines in order, those after a sequence number. */
  read(log: string, options?: { after?: number; limit?: number }): Promise<readonly LogLine[]>;
  last(log: string): Promise<LogLine | undefined>;
}

export interface LogLine {
  readonly sequence: number;
  readonly line: string;
}

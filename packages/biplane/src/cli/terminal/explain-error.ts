import { inspect } from "node:util";
import { messageOf } from "@biplane/core/internal";

/** An error as a message with a fix. With `BIPLANE_DEBUG=1`, also its stack. */
export function explainError(
  error: unknown,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const message = messageFor(error);
  return environment["BIPLANE_DEBUG"] === "1" ? `${message}\n${inspect(error, { depth: 4 })}` : message;
}

function messageFor(error: unknown): string {
  const { code, path, syscall } = Object(error) as NodeJS.ErrnoException;
  const file = path ?? "the file";
  const message = messageOf(error);
  switch (code) {
    case "ENOENT":
      return syscall === undefined ? message : `File not found: ${file}. Check the path and the working directory.`;
    case "EACCES":
    case "EPERM":
      return `No permission to access ${file} (${code}). Check its permissions with ls -l, or use another path.`;
    case "EROFS":
      return `Cannot write ${file}: the file system is read-only. Use another path.`;
    case "ENOSPC":
      return `Cannot write ${file}: the disk is full. Free some space, or use another path.`;
    case "EISDIR":
      return `${file} is a folder, not a file. Pass the path of a file.`;
    case "ENOTDIR":
      return `A part of the path ${file} is not a folder. Use another path.`;
    case "EEXIST":
      return `Cannot create ${file}: a file with that name exists. Use another path.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${message}. This machine does not have that address. Listen on 127.0.0.1, or on an address that ip addr lists.`;
    case "ERR_INVALID_URL":
      return `${JSON.stringify((error as { input?: unknown }).input ?? "")} is not a valid URL. Use one like http://127.0.0.1:8000, with a port up to 65535.`;
    case "ERR_SQLITE_ERROR":
    case "SQLITE_ERROR":
      return databaseMessage(message);
    default:
      if (message.endsWith("is not valid JSON")) return `A file does not contain valid JSON: ${message}.`;
      return /unable to open database|not a database|readonly database|database is locked|disk I\/O/i.test(message)
        ? databaseMessage(message)
        : message;
  }
}

function databaseMessage(message: string): string {
  if (/unable to open database/i.test(message))
    return "The store cannot be opened: its folder is not writable, or its path is a folder. Run biplane doctor, or pass another file with --store.";
  if (/not a database/i.test(message))
    return "The store is not an SQLite file, or is damaged. Pass another file with --store, or restore a backup.";
  if (/readonly database/i.test(message))
    return "No permission to write to the store. Check its permissions with ls -l, or pass another file with --store.";
  if (/database is locked/i.test(message))
    return "Another process has locked the store. Stop it, or pass another file with --store.";
  return `The store failed: ${message}. Run biplane doctor.`;
}

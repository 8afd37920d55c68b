import { inspect } from "node:util";
import { messageOf } from "../../errors.ts";

/** What went wrong and the way out, in a sentence or two; with `BIPLANE_DEBUG=1` also where it came from. */
export function explain(
  error: unknown,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const sentence = sentenceOf(error);
  return environment["BIPLANE_DEBUG"] === "1" ? `${sentence}\n${inspect(error, { depth: 4 })}` : sentence;
}

function sentenceOf(error: unknown): string {
  const { code, path, syscall } = Object(error) as NodeJS.ErrnoException;
  const where = path ?? "what was named";
  const message = messageOf(error);
  switch (code) {
    case "ENOENT":
      return syscall === undefined ? message : `there is no ${where}; look at how it is spelled and where you are`;
    case "EACCES":
    case "EPERM":
      return `${where} may not be used by this user (${code}); see its permissions with ls -l, or name another`;
    case "EROFS":
      return `${where} is on a file system that cannot be written to; name another place`;
    case "ENOSPC":
      return `the disk is full (${where}); make some room, or name another place`;
    case "EISDIR":
      return `${where} is a folder, and a file is needed`;
    case "ENOTDIR":
      return `${where} goes through something that is no folder; name another place`;
    case "EEXIST":
      return `${where} is in the way: something else is needed there; name another place`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${message}: that is no address of this machine; listen on 127.0.0.1, or on one that ip addr shows`;
    case "ERR_INVALID_URL":
      return `${JSON.stringify((error as { input?: unknown }).input ?? "")} is no address; write it like http://127.0.0.1:8000, with a port up to 65535`;
    case "ERR_SQLITE_ERROR":
    case "SQLITE_ERROR":
      return databaseSentence(message);
    default:
      if (message.endsWith("is not valid JSON")) return `a file that was named should be JSON and is not: ${message}`;
      return /unable to open database|not a database|readonly database|database is locked|disk I\/O/i.test(message)
        ? databaseSentence(message)
        : message;
  }
}

function databaseSentence(message: string): string {
  if (/unable to open database/i.test(message))
    return "the store cannot be opened: its folder may not be writable, or its path may be a folder; see biplane doctor, or name another file with --store";
  if (/not a database/i.test(message))
    return "the store is no SQLite file, or it is damaged; name another with --store, or put back a copy of it";
  if (/readonly database/i.test(message))
    return "the store may only be read by this user; see its permissions with ls -l, or name another with --store";
  if (/database is locked/i.test(message))
    return "the store is being written to by another process that does not let go; end it, or name another with --store";
  return `the store failed: ${message}; see biplane doctor`;
}

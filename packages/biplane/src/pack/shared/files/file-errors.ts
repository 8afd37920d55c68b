import { BiplaneError } from "@biplane/core";

/** Turns a file system error into a `BiplaneError` with the virtual path. The real path is never shown. */
export function asFileError(thrown: unknown, shown: string, doing = "use"): BiplaneError {
  if (thrown instanceof BiplaneError) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "unknown";
  const why = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const isFull = code === "EMFILE" || code === "ENFILE";
  return new BiplaneError(
    isFull ? "CAPACITY" : "EXECUTION_ERROR",
    why ? `${shown} ${why}.` : `Cannot ${doing} ${shown} (${code}).`,
    { cause: thrown },
  );
}

/** Runs `work` and converts its file system errors with `asFileError`. */
export async function withFileErrors<T>(shown: string, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFileError(error, shown, doing);
  }
}

/** An error about a file, as a sentence that starts with its virtual path. */
export function fileError(shown: string, why: string): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `${shown} ${why}.`);
}

const reasons: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "has a parent that is not a folder",
  EISDIR: "is a folder",
  EACCES: "cannot be used: permission denied",
  EPERM: "cannot be changed: permission denied",
  ELOOP: "was replaced by a symbolic link while it was in use",
  ENAMETOOLONG: "has a name that is too long",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is exceeded",
  EROFS: "cannot be written: the disk is read-only",
  EXDEV: "is on another disk. Copy it instead of moving it",
  ENOTEMPTY: "is not empty",
  EEXIST: "already exists",
  EBUSY: "is in use",
  EMFILE: "cannot be opened now: too many files are open",
  ENFILE: "cannot be opened now: too many files are open",
  EINVAL: "cannot be moved into itself",
};

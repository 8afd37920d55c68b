import { BiplaneError } from "../../errors.ts";

/** What the system said of a file, as a sentence that names it as tools do. The real path stays inside. */
export function fileFault(thrown: unknown, shown: string, doing = "use"): BiplaneError {
  if (thrown instanceof BiplaneError) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "unknown";
  const why = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const isFull = code === "EMFILE" || code === "ENFILE";
  return new BiplaneError(
    isFull ? "CAPACITY" : "EXECUTION_ERROR",
    why ? `${shown} ${why}` : `Cannot ${doing} ${shown} (${code})`,
    { cause: thrown },
  );
}

/** Runs something on a file; what the system throws comes out with the file's virtual name. */
export async function naming<T>(shown: string, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFault(error, shown, doing);
  }
}

export function refuse(shown: string, why: string): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `${shown} ${why}`);
}

const reasons: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "goes through something that is not a folder",
  EISDIR: "is a folder",
  EACCES: "may not be used: permission denied",
  EPERM: "may not be changed: permission denied",
  ELOOP: "was replaced by a link while it was being used",
  ENAMETOOLONG: "has too long a name",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the quota is used up",
  EROFS: "cannot be written: the disk is read-only",
  EXDEV: "is on another disk: copy it instead of moving it",
  ENOTEMPTY: "is not empty",
  EEXIST: "exists already",
  EBUSY: "is in use",
  EMFILE: "cannot be opened now: too many files are open",
  ENFILE: "cannot be opened now: too many files are open",
  EINVAL: "cannot be moved into itself",
};

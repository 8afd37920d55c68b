import { randomUUID } from "node:crypto";

/**
 * A new id of an episode or of a session with one. If the episode lives in one process of several, the id names that
 * process, so that the others know where to send a request.
 */
export function newEpisodeId(process?: string): string {
  const id = randomUUID();
  return process === undefined ? id : `${id}-${process.replaceAll("-", "")}`;
}

/** The process that an id names. */
export function processInId(id: string): string | undefined {
  const [, process] = idPattern.exec(id) ?? [];
  return process?.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** True for ids that this program makes. Others are not looked up in the storage. */
export function isEpisodeId(id: string): boolean {
  return idPattern.test(id);
}

const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:-([\da-f]{32}))?$/;

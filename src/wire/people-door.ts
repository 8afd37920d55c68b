import type { IncomingMessage, ServerResponse } from "node:http";
import { BiplaneError } from "../errors.ts";
import type { PeopleDoors } from "../server/doors.ts";
import { sendAnswer } from "./door-answer.ts";
import { readJson } from "./http-json.ts";

export interface PeopleVisit {
  readonly path: string;
  readonly address: string;
  readonly origin: string;
  report(fault: unknown, where: string): void;
}

/** Carries the people's API over HTTP. */
export async function answerPeople(
  people: PeopleDoors,
  request: IncomingMessage,
  response: ServerResponse,
  visit: PeopleVisit,
): Promise<void> {
  const { path, address, origin } = visit;
  const { method = "GET", headers, url = "" } = request;
  const query = new URLSearchParams(url.split("?")[1] ?? "");
  try {
    const body = await readJson(request, maxBodyBytes);
    sendAnswer(response, await people.answer({ method, path, query, headers, address, origin, body }));
  } catch (error) {
    // Only what is wrong with the bytes is said here; the API has its own words for the rest.
    const isBadBody = error instanceof BiplaneError && error.code === "INVALID_INPUT";
    if (!isBadBody) visit.report(error, "the people's doors");
    const [status, code] = isBadBody ? [400, "INVALID_INPUT"] : [500, "INTERNAL"];
    const message = isBadBody ? error.message : "Something went wrong here; the log says what";
    sendAnswer(response, { status, body: { error: code, message } });
  }
}

const maxBodyBytes = 1024 * 1024;

import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import { answerQuestion } from "./answers.ts";
import type { Answers } from "./answers.ts";
import type { RequestOptions } from "./options.ts";
import { isRecord } from "../is-record.ts";

/** Answers `input_required` results and resends the request with the answers, until it is complete. */
export async function answerRounds(
  send: (params: Params) => Promise<Params>,
  params: Params,
  options: RequestOptions & { answers: Answers },
): Promise<Params> {
  let result = await send(params);
  for (let round = 0; result["resultType"] === "input_required"; round++) {
    if (round >= maxRounds) {
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `The server still asked for input after ${maxRounds} rounds of answers.`,
      );
    }
    options.onInput?.();
    const { requestState } = result;
    const inputResponses = await answerAll(result["inputRequests"], options);
    result = await send({
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  return result;
}

/** Answers a map of questions, keeping their keys. */
export async function answerAll(
  questions: unknown,
  options: { answers: Answers; signal?: AbortSignal | undefined },
): Promise<Params | undefined> {
  if (!isRecord(questions)) return undefined;
  const signal = options.signal ?? new AbortController().signal;
  const asked = Object.entries(questions).map(async ([key, question]) => {
    const { method, params } = isRecord(question) ? question : {};
    if (typeof method !== "string")
      throw new BiplaneError("EXECUTION_ERROR", `The server's question ${key} has no method.`);
    const request = { method, params: isRecord(params) ? params : {} };
    return [key, await answerQuestion(options.answers, request, signal)] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

const maxRounds = 20;

import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import { answer } from "./answers.ts";
import type { Answers } from "./answers.ts";
import type { RequestOptions } from "./options.ts";

/** Answers what a result asks for and sends the request again with the answers, until the result is a whole one. */
export async function answerRounds(
  send: (params: Params) => Promise<Params>,
  params: Params,
  options: RequestOptions & { answers: Answers },
): Promise<Params> {
  let result = await send(params);
  for (let round = 0; result["resultType"] === "input_required"; round++) {
    if (round >= mostRounds) {
      throw new BiplaneError("EXECUTION_ERROR", `the server asked for more after ${mostRounds} rounds of answers`);
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

/** The answers to a map of questions, by their keys. */
export async function answerAll(
  questions: unknown,
  options: { answers: Answers; signal?: AbortSignal | undefined },
): Promise<Params | undefined> {
  if (!isObject(questions)) return undefined;
  const signal = options.signal ?? new AbortController().signal;
  const asked = Object.entries(questions).map(async ([key, question]) => {
    const { method, params } = isObject(question) ? question : {};
    if (typeof method !== "string")
      throw new BiplaneError("EXECUTION_ERROR", `the server's question ${key} has no method`);
    const request = { method, params: isObject(params) ? params : {} };
    return [key, await answer(options.answers, request, signal)] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

const mostRounds = 20;

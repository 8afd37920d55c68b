import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type {
  FormAnswer,
  FormQuestion,
  LinkAnswer,
  LinkQuestion,
  RootsAnswer,
  SampleAnswer,
  SampleQuestion,
} from "../tool/question.ts";

type Root = RootsAnswer["roots"][number];

/** What answers a server's questions. `params` is the question as it came, for those who pass it on. */
export interface Answers {
  readonly form?: (question: FormQuestion, more: QuestionContext) => FormAnswer | Promise<FormAnswer>;
  readonly link?: (question: LinkQuestion, more: QuestionContext) => LinkAnswer | Promise<LinkAnswer>;
  readonly sample?: (question: SampleQuestion, more: QuestionContext) => SampleAnswer | Promise<SampleAnswer>;
  readonly roots?: readonly Root[] | ((more: QuestionContext) => readonly Root[] | Promise<readonly Root[]>);
}

export interface QuestionContext {
  readonly params: Params;
  readonly signal: AbortSignal;
}

/** The capabilities that having these answers means. */
export function capabilitiesOf({ form, link, sample, roots }: Answers): Params {
  return {
    ...((form || link) && { elicitation: { ...(form && { form: {} }), ...(link && { url: {} }) } }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Answers one question, in either era the same. */
export async function answer(
  answers: Answers,
  request: { readonly method: string; readonly params: Params },
  signal: AbortSignal,
): Promise<Params> {
  const { method, params } = request;
  const more = { params, signal };
  const { form, link, sample, roots } = answers;
  if (method === "roots/list" && roots) return { roots: typeof roots === "function" ? await roots(more) : roots };
  if (method === "sampling/createMessage" && sample) {
    return { ...(await sample({ kind: "sample", request: params }, more)) };
  }
  if (method === "elicitation/create") {
    const message = textOf(params["message"]);
    if (params["mode"] === "url" && link) return { ...(await link(linkQuestion(message, params), more)) };
    if (params["mode"] !== "url" && form) {
      const schema = isObject(params["requestedSchema"]) ? params["requestedSchema"] : {};
      return withDefaults({ ...(await form({ kind: "form", message, schema }, more)) }, schema);
    }
  }
  throw new BiplaneError("NOT_SUPPORTED", `the server asked ${method}, and there is nothing in \`answers\` for it`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function linkQuestion(message: string, params: Params): LinkQuestion {
  const { url, elicitationId } = params;
  return {
    kind: "link",
    message,
    url: textOf(url),
    ...(typeof elicitationId === "string" && { elicitationId }),
  };
}

/** A form that is accepted as it stands is accepted with its defaults. */
function withDefaults(given: Params, schema: Params): Params {
  if (given["action"] !== "accept") return given;
  const fields = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {});
  const defaults = fields.flatMap(([name, field]) =>
    isObject(field) && "default" in field ? [[name, field["default"]] as const] : [],
  );
  const content = isObject(given["content"]) ? given["content"] : {};
  return { ...given, content: { ...Object.fromEntries(defaults), ...content } };
}

import { BiplaneError } from "../errors.ts";
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
import { isRecord } from "../is-record.ts";

type Root = RootsAnswer["roots"][number];

/** Handlers for a server's questions. Each one declares a client capability. */
export interface Answers {
  readonly form?: (question: FormQuestion, context: QuestionContext) => FormAnswer | Promise<FormAnswer>;
  readonly link?: (question: LinkQuestion, context: QuestionContext) => LinkAnswer | Promise<LinkAnswer>;
  readonly sample?: (question: SampleQuestion, context: QuestionContext) => SampleAnswer | Promise<SampleAnswer>;
  readonly roots?: readonly Root[] | ((context: QuestionContext) => readonly Root[] | Promise<readonly Root[]>);
}

export interface QuestionContext {
  /** The request parameters exactly as the server sent them. */
  readonly params: Params;
  readonly signal: AbortSignal;
}

/** The client capabilities that these handlers imply. */
export function capabilitiesOf({ form, link, sample, roots }: Answers): Params {
  return {
    ...((form || link) && { elicitation: { ...(form && { form: {} }), ...(link && { url: {} }) } }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Answers one question. Both eras use the same methods and parameters. */
export async function answerQuestion(
  answers: Answers,
  request: { readonly method: string; readonly params: Params },
  signal: AbortSignal,
): Promise<Params> {
  const { method, params } = request;
  const context = { params, signal };
  const { form, link, sample, roots } = answers;
  if (method === "roots/list" && roots) return { roots: typeof roots === "function" ? await roots(context) : roots };
  if (method === "sampling/createMessage" && sample) {
    return { ...(await sample({ kind: "sample", request: params }, context)) };
  }
  if (method === "elicitation/create") {
    const message = textOf(params["message"]);
    if (params["mode"] === "url" && link) return { ...(await link(linkQuestion(message, params), context)) };
    if (params["mode"] !== "url" && form) {
      const schema = isRecord(params["requestedSchema"]) ? params["requestedSchema"] : {};
      return withDefaults({ ...(await form({ kind: "form", message, schema }, context)) }, schema);
    }
  }
  throw new BiplaneError("NOT_SUPPORTED", `The server sent ${method}, but \`answers\` has no handler for it.`);
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

/** Adds the schema's defaults to an accepted form. */
function withDefaults(given: Params, schema: Params): Params {
  if (given["action"] !== "accept") return given;
  const fields = Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {});
  const defaults = fields.flatMap(([name, field]) =>
    isRecord(field) && "default" in field ? [[name, field["default"]] as const] : [],
  );
  const content = isRecord(given["content"]) ? given["content"] : {};
  return { ...given, content: { ...Object.fromEntries(defaults), ...content } };
}

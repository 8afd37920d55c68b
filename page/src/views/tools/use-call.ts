import { useEffect, useRef, useState } from "preact/hooks";
import type { CallVia } from "../../../../packages/biplane/src/admin/try-call/call-vias.ts";
import type { CallRequestBody, CallViaResult } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { callApi } from "../../api.ts";
import { initialValue } from "../../components/schema-form/schema-form.tsx";
import { useMutation } from "../../resource.ts";
import type { Mutation } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { viasFor } from "./via.tsx";

/** A finished call: the request and the results by transport. */
export interface MadeCall {
  readonly request: CallRequestBody;
  readonly results: readonly CallViaResult[];
}

/** The state of a call form. Short inputs are also stored in the URL, so that it can be shared. */
export interface CallForm {
  readonly input: unknown;
  readonly via: readonly CallVia[];
  /** Empty for a new episode. */
  readonly episode: string;
  readonly seed: string;
  readonly change: (patch: Partial<Pick<CallForm, "input" | "via" | "episode" | "seed">>) => void;
  readonly call: Mutation<CallRequestBody | undefined, MadeCall>;
  readonly made: MadeCall | undefined;
  /** Repeats the last call, in a new episode if it needs one. */
  readonly repeat: () => void;
}

export function useCall(tool: ToolSummary): CallForm {
  const [state, setState] = useState(() => fromUrl(tool));
  const [made, setMade] = useState<MadeCall>();
  const latest = useRef(state);
  latest.current = state;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Browsers limit the rate of URL changes.
  const remember = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery(toUrl(latest.current, tool)), 300);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const change: CallForm["change"] = (patch) => {
    latest.current = { ...latest.current, ...patch };
    setState(latest.current);
    remember();
  };
  const call = useMutation(async (again: CallRequestBody | undefined, signal) => {
    const request = again ?? (await requestFor(tool, latest.current, signal));
    if (request.episode !== undefined && request.episode !== latest.current.episode)
      change({ episode: request.episode });
    const { results } = await callApi("POST /api/calls", { body: request, signal });
    const done = { request, results };
    setMade(done);
    return done;
  });
  const repeat = () => {
    if (!made) return;
    if (!tool.needsEpisode) return void call.run(made.request);
    change({ input: made.request.input, via: made.request.via, episode: "" });
    void call.run(undefined);
  };
  return { ...state, change, call, made, repeat };
}

type FormState = Pick<CallForm, "input" | "via" | "episode" | "seed">;

async function requestFor(tool: ToolSummary, state: FormState, signal: AbortSignal): Promise<CallRequestBody> {
  const { input, via, episode, seed } = state;
  // The form makes an object; if not, the server says so.
  const request = { server: tool.server, tool: tool.name, input: input as CallRequestBody["input"], via };
  if (!tool.needsEpisode) return request;
  if (episode !== "") return { ...request, episode };
  const body = { server: tool.server, ...(seed !== "" && { seed }) };
  const started = await callApi("POST /api/episodes", { body, signal });
  return { ...request, episode: started.id };
}

function fromUrl(tool: ToolSummary): FormState {
  // `ways` is the old name of `via`; saved links may contain it.
  const { input, ways = "", via = ways, episode = "", seed = "" } = pageLocation.peek().query;
  const possible = viasFor(tool);
  const named = via.split(",");
  const chosen = possible.filter((each) => named.includes(each) || via === "all");
  return {
    input: parsed(input) ?? initialValue(tool.input) ?? {},
    via: chosen.length > 0 ? chosen : possible.slice(0, 1),
    episode,
    seed,
  };
}

function toUrl({ input, via, episode, seed }: FormState, tool: ToolSummary): Record<string, string> {
  const possible = viasFor(tool);
  const json = JSON.stringify(input) ?? "";
  const isUsual = json === JSON.stringify(initialValue(tool.input) ?? {});
  const isFirst = via.length === 1 && via[0] === possible[0];
  return {
    input: isUsual || json.length > maxInputLength ? "" : json,
    via: isFirst ? "" : via.length === possible.length ? "all" : via.join(","),
    ways: "",
    episode,
    seed,
  };
}

/** Longer inputs are not stored in the URL. */
const maxInputLength = 1500;

function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

import { useEffect, useRef, useState } from "preact/hooks";
import type { CallWay, CallWish, OpenedEpisode, ShownTool, WayAnswer } from "../../../../src/desk/contract.ts";
import { ask } from "../../api.ts";
import { initialValue } from "../../components/schema-form/schema-form.tsx";
import { usePost } from "../../resource.ts";
import type { Deed } from "../../resource.ts";
import { place, setQuery } from "../../router.ts";
import { waysFor } from "./ways.tsx";

/** A call that was made: what was wanted and what came of it. */
export interface MadeCall {
  readonly wish: CallWish;
  readonly answers: readonly WayAnswer[];
}

/** What a call form holds. It lives in the address too, as long as it is short, so that it can be passed on. */
export interface CallForm {
  readonly input: unknown;
  readonly ways: readonly CallWay[];
  /** Empty for a new one. */
  readonly episode: string;
  readonly seed: string;
  readonly change: (patch: Partial<Pick<CallForm, "input" | "ways" | "episode" | "seed">>) => void;
  readonly call: Deed<CallWish | undefined, MadeCall>;
  readonly made: MadeCall | undefined;
  /** The last call once more. Where its episode may be gone, in a new one. */
  readonly repeat: () => void;
}

export function useCall(tool: ShownTool): CallForm {
  const [state, setState] = useState(() => fromAddress(tool));
  const [made, setMade] = useState<MadeCall>();
  const latest = useRef(state);
  latest.current = state;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The browser's patience with changes of the address is short.
  const remember = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery(toAddress(latest.current, tool)), 300);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const change: CallForm["change"] = (patch) => {
    latest.current = { ...latest.current, ...patch };
    setState(latest.current);
    remember();
  };
  const call = usePost(async (again: CallWish | undefined, signal) => {
    const wish = again ?? (await wishOf(tool, latest.current, signal));
    if (wish.episode !== undefined && wish.episode !== latest.current.episode) change({ episode: wish.episode });
    const { answers } = await ask<{ answers: readonly WayAnswer[] }>("POST /api/calls", { body: wish, signal });
    const done = { wish, answers };
    setMade(done);
    return done;
  });
  const repeat = () => {
    if (!made) return;
    if (!tool.needsEpisode) return void call.run(made.wish);
    change({ input: made.wish.input, ways: made.wish.ways, episode: "" });
    void call.run(undefined);
  };
  return { ...state, change, call, made, repeat };
}

type Held = Pick<CallForm, "input" | "ways" | "episode" | "seed">;

async function wishOf(tool: ShownTool, held: Held, signal: AbortSignal): Promise<CallWish> {
  const { input, ways, episode, seed } = held;
  const wish = { server: tool.server, tool: tool.name, input, ways };
  if (!tool.needsEpisode) return wish;
  if (episode !== "") return { ...wish, episode };
  const body = { server: tool.server, ...(seed !== "" && { seed }) };
  const begun = await ask<OpenedEpisode>("POST /api/episodes", { body, signal });
  return { ...wish, episode: begun.id };
}

function fromAddress(tool: ShownTool): Held {
  const { input, ways = "", episode = "", seed = "" } = place.peek().query;
  const possible = waysFor(tool);
  const named = ways.split(",");
  const chosen = possible.filter((way) => named.includes(way) || ways === "all");
  return {
    input: parsed(input) ?? initialValue(tool.input) ?? {},
    ways: chosen.length > 0 ? chosen : possible.slice(0, 1),
    episode,
    seed,
  };
}

function toAddress({ input, ways, episode, seed }: Held, tool: ShownTool): Record<string, string> {
  const possible = waysFor(tool);
  const json = JSON.stringify(input) ?? "";
  const isUsual = json === JSON.stringify(initialValue(tool.input) ?? {});
  const isFirst = ways.length === 1 && ways[0] === possible[0];
  return {
    input: isUsual || json.length > longest ? "" : json,
    ways: isFirst ? "" : ways.length === possible.length ? "all" : ways.join(","),
    episode,
    seed,
  };
}

/** What an address should carry. */
const longest = 1500;

function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

import { describe, expect, it } from "vitest";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { EpisodeOwners } from "../../packages/core/src/environment/episode-owners.ts";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Outcome } from "../../packages/core/src/call/outcome.ts";
import type { Fleet } from "../../packages/core/src/server/fleet.ts";
import { memoryStore } from "../../packages/core/src/store/memory-store.ts";
import { explore } from "./explore.ts";
import { GatedStorage, Rows } from "./gated-storage.ts";

const isSoak = process.env["BIPLANE_SOAK"] !== undefined;

/** A step appends its key to the list that is the state, so the state tells which steps were made, and how often. */
function journal(storage: GatedStorage): Environment {
  const store = Object.assign(memoryStore(), { episodes: storage, isShared: true });
  return environment({
    name: "journal",
    start: () => [] as string[],
    observe: (steps) => steps.join(" "),
    tools: (tool) => ({
      add: tool({
        input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] } as const,
        run: ({ key }, call) => {
          call.state.push(key);
          return call.state.join(" ");
        },
      }),
    }),
  }).govern({ store });
}

describe("every order of two replicas' work on one episode", () => {
  /** A client that sends one step, and sends it again to the other replica if the first one dies. */
  async function send(key: string, replicas: readonly Replica[], episode: string): Promise<Outcome | undefined> {
    for (const { storage, environment: served } of replicas) {
      if (storage.isDead) continue;
      const call = new LiveCall({
        tool: "add",
        input: { key },
        route: "mcp",
        agent: { agentId: "client", requestId: key, model: undefined, metadata: {} },
        principal: { kind: "token", id: "client", scopes: [] },
        idempotencyKey: key,
        scope: async () => {
          const found = await served.episodes.find(episode);
          if (!found) throw new Error("The episode is gone.");
          return found;
        },
      });
      const outcome = await Promise.race([served.server.perform(call), storage.died]);
      if (outcome) return outcome;
    }
    return undefined;
  }

  interface Replica {
    readonly storage: GatedStorage;
    readonly environment: Environment;
  }

  async function begin(options: { clients: readonly (readonly ["a" | "b", ...string[]])[]; deaths: number }) {
    const rows = new Rows();
    const [a, b] = ["a", "b"].map((name) => {
      const storage = new GatedStorage(name, rows);
      return { storage, environment: journal(storage) };
    }) as [Replica, Replica];
    const starting = a.environment.start();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const each of a.storage.next(false)) each.happen();
    const { id } = await starting;
    const acknowledged = new Map<string, string>();
    const failed: unknown[] = [];
    const play = async (replicas: readonly Replica[], keys: readonly string[]) => {
      for (const key of keys) {
        const outcome = await send(key, replicas, id);
        if (outcome?.status === "done") acknowledged.set(key, String(outcome.value));
        else failed.push(outcome);
      }
    };
    for (const [first, ...keys] of options.clients) void play(first === "a" ? [a, b] : [b, a], keys);
    const deaths = () => [a, b].filter(({ storage }) => storage.isDead).length;
    return {
      next: () => [a, b].flatMap(({ storage }) => storage.next(deaths() < options.deaths)),
      check: () => {
        const stored = rows.commits.at(-1);
        const made = stored ? (JSON.parse(stored.data) as { snapshot: { state: string[] } }).snapshot.state : [];
        // Each step is made at most once, in whatever order, and no acknowledged one is lost.
        expect(new Set(made).size).toBe(made.length);
        for (const [key, answer] of acknowledged) {
          const at = made.indexOf(key);
          expect(at).toBeGreaterThanOrEqual(0);
          // The answer is the one of the step as it was committed.
          expect(answer).toBe(made.slice(0, at + 1).join(" "));
        }
        // With one replica left, every client gets an answer.
        expect(failed).toEqual([]);
        expect([...acknowledged.keys()].toSorted()).toEqual(
          [...new Set(options.clients.flatMap(([, ...keys]) => keys))].toSorted(),
        );
      },
    };
  }

  it("makes each step once, whichever replica dies before or after any operation", async () => {
    const clients = [
      ["a", "one", ...(isSoak ? ["two"] : [])],
      ["b", "three", "four"],
    ] as const;
    expect(await explore(() => begin({ clients, deaths: 1 }))).toBeGreaterThan(isSoak ? 1000 : 100);
  });

  it("makes a step once that two replicas get at the same time with the same key", async () => {
    const clients = [
      ["a", "one", ...(isSoak ? ["two"] : [])],
      ["b", "one", "three"],
    ] as const;
    expect(await explore(() => begin({ clients, deaths: 1 }))).toBeGreaterThan(isSoak ? 100 : 50);
  });
});

describe("every order of two processes that want to own the same episode", () => {
  it("leaves it with one of those that run", async () => {
    const schedules = await explore(() => {
      const rows = new Rows();
      const storages = { a: new GatedStorage("a", rows), b: new GatedStorage("b", rows) };
      // A third process owned it, and has died.
      rows.names.set("owner of label", "gone");
      const found: { by: string; owner: string }[] = [];
      for (const [id, storage] of Object.entries(storages)) {
        const owners = new EpisodeOwners({
          environment: "journal",
          fleet: fleetOf(id, storages),
          storage,
          isSaved: true,
        });
        void owners.ownerOf("label", "a caller").then((owner) => found.push({ by: id, owner }));
      }
      return {
        next: () => Object.values(storages).flatMap((each) => each.next(true)),
        check: () => {
          const running = Object.entries(storages)
            .filter(([, { isDead }]) => !isDead)
            .map(([id]) => id);
          const owners = new Set(found.filter(({ by }) => running.includes(by)).map(({ owner }) => owner));
          const held = rows.names.get("owner of label");
          if (running.length === 2) expect(owners.size).toBe(1);
          for (const { by, owner } of found) if (owner === by) expect([held, "gone"]).toContain(by);
        },
      };
    });
    expect(schedules).toBeGreaterThan(20);
  });
});

function fleetOf(id: string, storages: Readonly<Record<string, GatedStorage>>): Fleet {
  return {
    processId: id,
    isTrusted: true,
    key: "",
    isRunning: async (process) => storages[process]?.isDead === false,
    addressOf: async () => undefined,
    send: async () => undefined,
    receive: () => () => undefined,
    onReplaced: () => undefined,
    takeToken: () => 0,
    streamEvents: { add: async () => undefined, after: async () => [], clear: async () => undefined },
  };
}

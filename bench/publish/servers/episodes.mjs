// Episodes in memory (`memory`), or saved after every step in a SQLite file or a Postgres database. Idle ones leave memory.
import { openStore } from "biplane/store";
import { counter } from "../../fleet/counter.mjs";
import { ready } from "../../mcp/servers/control.mjs";

const [, , location, idleMs] = process.argv;
const saved =
  location === "memory" ? { durability: "memory" } : { durability: "step", store: await openStore(location) };
const world = counter({ name: "counter", maxEpisodes: 200_000, idleMs: Number(idleMs), ...saved });
const { url } = await world.serve("http://127.0.0.1:0");
ready(Number(new URL(url).port));

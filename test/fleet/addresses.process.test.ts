import { expect, it } from "vitest";
import { openStore } from "biplane/store";
import { addProcess } from "../../packages/biplane/src/fleet/processes.ts";
import { openServedGateway } from "../admin/admin-server.ts";
import { describePostgres } from "../support/describe-postgres.ts";

describePostgres("addresses of processes", (postgres) => {
  it("are listed for people who may view connections or settings", async () => {
    const store = await openStore(await postgres().database());
    const address = "http://10.0.0.7:4000";
    await addProcess(store, { id: "one", kind: "server", name: "host", version: "1", address, load: {} });
    await using gateway = await openServedGateway({ kit: { fleet: { store, processId: () => "one" } } });
    const addressFor = async (name: string, scopes: readonly string[]) => {
      await gateway.join(name, scopes);
      const { json } = await gateway.ask("GET /api/fleet", undefined, await gateway.logIn(name));
      return (json["processes"] as { address: string | null }[]).map((each) => each.address);
    };
    expect(await addressFor("con", ["connections:read"])).toEqual([address]);
    expect(await addressFor("set", ["settings"])).toEqual([address]);
    expect(await addressFor("cal", ["calls"])).toEqual([null]);
    await store.close();
  });
});

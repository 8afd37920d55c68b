import { expect, it, vi } from "vitest";
import { openStore } from "biplane/store";
import { FleetMessages } from "../../packages/biplane/src/fleet/fleet-messages.ts";
import { databaseTime } from "../../packages/biplane/src/fleet/processes.ts";
import { describePostgres } from "../support/describe-postgres.ts";

describePostgres("messages between servers", (postgres) => {
  async function open() {
    const store = await openStore(await postgres().database());
    const reader = new FleetMessages(store);
    await reader.read("reader");
    const sender = new FleetMessages(store);
    const send = (data: unknown, to?: string) => sender.send("sender", { topic: "news", data, ...(to && { to }) });
    const read = async () => (await reader.read("reader")).map(({ data }) => data);
    return { store, send, read, [Symbol.asyncDispose]: () => store.close() };
  }

  it("are read once, by those whom they are for", async () => {
    await using messages = await open();
    await messages.send("for all");
    await messages.send("for the reader", "reader");
    await messages.send("for another", "another");
    expect(await messages.read()).toEqual(["for all", "for the reader"]);
    await messages.send("later");
    expect(await messages.read()).toEqual(["later"]);
    expect(await messages.read()).toEqual([]);
  });

  it("are read although a later one was committed first", async () => {
    await using messages = await open();
    const { store } = messages;
    await store.db.transaction().execute(async (slow) => {
      const row = { at: databaseTime, sender: "slow", recipient: null, topic: "news", data: '"first"' };
      await slow.insertInto("messages").values(row).execute();
      await messages.send("second");
      expect(await messages.read()).toEqual(["second"]);
    });
    expect(await messages.read()).toEqual(["first"]);
    expect(await messages.read()).toEqual([]);
  });

  it("are read the next time if they could not be read", async () => {
    await using messages = await open();
    await messages.send("one");
    await messages.send("two");
    const { db } = messages.store;
    const query = db.selectFrom.bind(db);
    // The second query reads the texts.
    const failing = vi.spyOn(db, "selectFrom").mockImplementationOnce(query);
    failing.mockImplementationOnce(() => {
      throw new Error("the connection was lost");
    });
    await expect(messages.read()).rejects.toThrow("the connection was lost");
    failing.mockRestore();
    expect(await messages.read()).toEqual(["one", "two"]);
    expect(await messages.read()).toEqual([]);
  });

  it("are all read at once if there are thousands", async () => {
    await using messages = await open();
    const { store } = messages;
    const row = { at: databaseTime, sender: "sender", recipient: null, topic: "news" };
    const rows = Array.from({ length: 2500 }, (_, data) => ({ ...row, data: JSON.stringify(data) }));
    await store.db.insertInto("messages").values(rows).execute();
    const found = [...(await messages.read()), ...(await messages.read()), ...(await messages.read())];
    expect(found).toEqual(rows.map((_, at) => at));
  });

  it("are deleted after a minute", async () => {
    await using messages = await open();
    const { store } = messages;
    await messages.send("new");
    const old = { at: Date.now() - 120_000, sender: "sender", recipient: null, topic: "news", data: '"old"' };
    await store.db.insertInto("messages").values(old).execute();
    await new FleetMessages(store).deleteOld();
    expect(await messages.read()).toEqual(["new"]);
  });
});

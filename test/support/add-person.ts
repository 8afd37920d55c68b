import { openStore } from "biplane/store";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";

/** Adds grace, who may do everything, to the store of a server that is not started yet. Returns a token of hers. */
export async function addPerson(file: string): Promise<string> {
  await using store = await openStore(file);
  const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
  await people.add({ name: "grace", passphrase: "a passphrase of the test" });
  const { token } = await people.newToken("grace", { label: "", days: 90 });
  return token;
}

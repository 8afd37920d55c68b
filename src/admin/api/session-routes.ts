import { BiplaneError } from "../../errors.ts";
import type { DoorAnswer } from "../../server/doors.ts";
import type { People, SignedIn } from "../people/people.ts";
import { found, made, notFound, nothing } from "./answers.ts";
import { sessionCookie } from "./cookie.ts";
import { fieldsOf, pageFrom, pageOf, textIn } from "./input.ts";
import type { Routes } from "./router.ts";

/** Logging in and out, the first person, and everyone's own tokens. */
export function sessionRoutes(people: People): Routes {
  return {
    "GET /api/setup": {
      scope: "anyone",
      run: async () => found({ needed: await people.isEmpty() }),
    },
    "POST /api/setup": {
      scope: "anyone",
      run: async ({ request: { body, address, origin } }) => {
        const { code, name, passphrase } = fieldsOf(body, ["code", "name", "passphrase"]);
        const person = { name: textIn(name, "name"), passphrase: textIn(passphrase, "passphrase") };
        return welcome(origin, await people.setUp({ code: textIn(code, "code"), ...person }, address));
      },
    },
    "POST /api/session": {
      scope: "anyone",
      run: async ({ request: { body, address, origin, headers } }) => {
        const signedIn = await signIn(people, body, address);
        const before = sessionCookie(origin).read(headers["cookie"]);
        if (before !== undefined) await people.signOut(before);
        return welcome(origin, signedIn);
      },
    },
    "GET /api/session": {
      scope: "person",
      run: async ({ by, session, request: { headers } }) => {
        const keys = session === undefined ? undefined : { id: session, key: String(headers["x-biplane"]) };
        const known = keys && (await people.bySession(keys));
        return found(whoIs(by, known?.expiresAt));
      },
    },
    "PUT /api/passphrase": {
      scope: "person",
      run: async ({ by, request: { body, address, origin } }) => {
        const { current, passphrase } = fieldsOf(body, ["current", "passphrase"]);
        const next = { name: by.id, passphrase: textIn(passphrase, "passphrase") };
        await people.signIn({ name: by.id, passphrase: textIn(current, "current") }, address);
        await people.setPassphrase(next, by);
        return welcome(origin, await people.signIn(next, address));
      },
    },
    "DELETE /api/session": {
      scope: "person",
      run: async ({ session, request: { origin } }) => {
        if (session !== undefined) await people.signOut(session);
        return { ...nothing, headers: { "set-cookie": sessionCookie(origin).clear() } };
      },
    },
    "DELETE /api/sessions": {
      scope: "person",
      run: async ({ by, request: { origin } }) => {
        await people.signOutEverywhere(by.id);
        return { ...nothing, headers: { "set-cookie": sessionCookie(origin).clear() } };
      },
    },
    "GET /api/tokens": {
      scope: "person",
      run: async ({ by, request }) => {
        const { page, next } = pageFrom(await people.tokens(by.id), ({ id }) => id, pageOf(request));
        return found({ tokens: page, next });
      },
    },
    "POST /api/tokens": {
      scope: "person",
      run: async ({ by, session, request: { body } }) => {
        const { label = "", days = 90 } = fieldsOf(body, ["label", "days"]);
        // Else one that was found, or lent for a day, would be good for ten years.
        if (session === undefined)
          throw new BiplaneError("POLICY_DENIED", "A token makes no other token: log in to make one");
        const lasting = typeof days === "number" ? days : Number.NaN;
        return made(await people.newToken(by.id, { label: textIn(label, "label"), days: lasting }));
      },
    },
    "DELETE /api/tokens/:id": {
      scope: "person",
      run: async ({ by, parameters: { id = "" } }) =>
        (await people.revokeToken(by.id, id)) ? nothing : notFound("You have no such token"),
    },
  };
}

function signIn(people: People, body: unknown, address: string): Promise<SignedIn> {
  const { key, name, passphrase } = fieldsOf(body, ["key", "name", "passphrase"]);
  if (key !== undefined) return people.signInByKey(textIn(key, "key"), address);
  return people.signIn({ name: textIn(name, "name"), passphrase: textIn(passphrase, "passphrase") }, address);
}

function welcome(origin: string, { id, key, principal, expiresAt, lastsMs }: SignedIn): DoorAnswer {
  const headers = { "set-cookie": sessionCookie(origin).set(id, lastsMs) };
  return { ...found({ ...whoIs(principal, expiresAt), key }), headers };
}

function whoIs(principal: SignedIn["principal"], expiresAt: number | undefined): object {
  const { id, scopes } = principal;
  return { name: id, scopes, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }) };
}

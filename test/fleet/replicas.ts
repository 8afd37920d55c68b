import type { Environment } from "biplane";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { counter } from "../environment/counter.ts";

/** Servers of one environment that share a database, and a `fetch` that sends each request to the next of them. */
export interface Replicas extends AsyncDisposable {
  readonly fetch: typeof fetch;
  /** Any address: `fetch` replaces it. */
  readonly url: string;
}

export async function startReplicas(location: string, count: number): Promise<Replicas> {
  const stores: SqlStore[] = [];
  const environments: Environment[] = [];
  const urls: string[] = [];
  for (let at = 0; at < count; at++) {
    const store = await openStore(location);
    const environment = counter().govern({ store });
    stores.push(store);
    environments.push(environment);
    urls.push((await environment.serve("http://127.0.0.1:0")).url);
  }
  let next = 0;
  return {
    url: urls[0] as string,
    fetch: (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return fetch(`${urls[next++ % urls.length]}${pathname}${search}`, init);
    },
    async [Symbol.asyncDispose]() {
      for (const environment of environments) await environment.close();
      for (const store of stores) await store.close();
    },
  };
}

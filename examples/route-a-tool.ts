import { server, tool } from "biplane";
import { connect } from "biplane/client";
import type { Interceptor } from "biplane/client";

const search = (name: string, found: (query: string) => string[]) =>
  server({
    name,
    version: "1.0.0",
    tools: {
      search: tool({
        description: "Find documents",
        input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
        run: ({ query }) => ({ documents: found(query) }),
      }),
    },
  });

const today = search("search-today", (query) => [`${query} as it is`]);
const tomorrow = search("search-tomorrow", (query) => [`${query}, ranked`, `${query}, related`]);

/** An A/B test: routes each customer's searches to one of two implementations, and records which. */
function route(arms: { a: string; b: string }, record: (line: object) => void): Interceptor {
  return async (call, next) => {
    if (call.method !== "tools/call" || call.params["name"] !== "search") return next(call);
    const customer = call.options.meta?.["customer"] as string;
    const arm = customer.length % 2 === 0 ? "a" : "b";
    const started = performance.now();
    const result = await next({ ...call, params: { ...call.params, name: arms[arm] } });
    record({ customer, arm, failed: result["isError"] === true, inTime: performance.now() - started < 1000 });
    return { ...result, _meta: { ...(result["_meta"] as object | undefined), "example.com/arm": arm } };
  };
}

// Mount both implementations into one server, and connect a client that routes its requests.
const combined = server({ name: "search", version: "1.0.0" });
combined.mount("today", today, { prefix: "always" }).mount("tomorrow", tomorrow, { prefix: "always" });

const intercept = [route({ a: "today_search", b: "tomorrow_search" }, (line) => console.log(JSON.stringify(line)))];
const client = await connect(combined, { intercept });

for (const customer of ["Ada", "Alan"]) {
  const { structuredContent, _meta } = await client.callTool("search", { query: "engines" }, { meta: { customer } });
  console.log(customer, JSON.stringify(structuredContent), _meta?.["example.com/arm"]);
}
await client.close();

// prints:
// {"customer":"Ada","arm":"b","failed":false,"inTime":true}
// Ada {"documents":["engines, ranked","engines, related"]} b
// {"customer":"Alan","arm":"a","failed":false,"inTime":true}
// Alan {"documents":["engines as it is"]} a

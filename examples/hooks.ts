import { server, tool } from "biplane";

const divide = tool({
  name: "divide",
  description: "Divide one number by another",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  run: ({ a, b }) => {
    if (b === 0) throw new Error("Cannot divide by zero");
    return a / b;
  },
});

const calculator = server({ name: "calculator", version: "1.0.0", tools: [divide] });
calculator.watch({
  onStart: ({ tool: name, input }) => console.log("start", name, JSON.stringify(input)),
  onEnd: ({ value }) => console.log("end", value),
  onError: ({ error }) => console.log("error", error.code, error.message),
});

await calculator.call("divide", { a: 6, b: 3 });
await calculator.call("divide", { a: 6, b: 0 }).catch(() => undefined);
await calculator.call("divide", { a: "six", b: 3 }).catch(() => undefined);

// prints:
// start divide {"a":6,"b":3}
// end 2
// start divide {"a":6,"b":0}
// error EXECUTION_ERROR Cannot divide by zero
// start divide {"a":"six","b":3}
// error INVALID_INPUT Invalid arguments for divide: /a must be number, got string

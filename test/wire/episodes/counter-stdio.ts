import { allow } from "biplane";
import { counter } from "../../environment/counter.ts";

// Serves the counter to the process that started this one. Its argument is the mode.
const mode = process.argv[2] === "production" ? "production" : "simulation";
await counter()
  .govern({ mode, policies: [() => allow()] })
  .serve("stdio");

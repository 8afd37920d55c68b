import { failureKinds } from "@biplane/core";
import { boolean, described, enumOf, named, object, text } from "./builders.ts";

export const FailureRecord = named(
  "Failure",
  described(
    "What kept an episode or a rollout from its own end. If it is masked, there is no reward",
    object({ kind: enumOf(...failureKinds), message: text, masked: boolean }),
  ),
);

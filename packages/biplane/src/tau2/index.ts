export { tau2Environment } from "./tau2-environment.ts";
export type { Tau2Options } from "./tau2-environment.ts";
export { modelCustomer } from "../rollout/model-customer.ts";
export { scriptedCustomer } from "./user-simulator.ts";
export type { ScriptStep } from "./user-simulator.ts";
export type { UserSimulator, UserTurn, UserView } from "@biplane/gallery";
export type { Grade } from "./grade.ts";

export { tau2Environment } from "./tau2-environment.ts";
export type { Tau2Options } from "./tau2-environment.ts";
export { modelCustomer, scriptedCustomer } from "./user-simulator.ts";
export type { ScriptStep, UserSimulator, UserTurn, UserView } from "./user-simulator.ts";
export type { Grade } from "./grade.ts";

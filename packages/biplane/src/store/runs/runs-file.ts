/** The SQLite file in which `biplane rollout` keeps its runs by default. */
export const runsFile = ".biplane/rollouts.db";

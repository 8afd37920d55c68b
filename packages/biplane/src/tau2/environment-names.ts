/** The environments that need a folder with their data. */
export const tau2Names = ["tau2-retail", "tau2-airline", "tau2-telecom"] as const;
export type Tau2Name = (typeof tau2Names)[number];

export function isTau2Name(name: string): name is Tau2Name {
  return tau2Names.some((each) => each === name);
}

/** The name in `person ada` or `person ada and person grace`. What is no person stays as it is. */
export function personName(by: string): string {
  return by.replaceAll(/(^|, | and )person /g, "$1");
}

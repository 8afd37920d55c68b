import { airlineDomain } from "./airline/airline.ts";
import { DataFolder } from "./data-folder.ts";
import type { Domain } from "./domain.ts";
import { retailDomain } from "./retail/retail.ts";
import { telecomDomain } from "./telecom/telecom.ts";

export type DomainName = Domain["name"];

/** Reads a domain from the folder with its data. */
export function openDomain({
  domain,
  folder,
  fixed = false,
}: {
  domain: DomainName;
  folder: string;
  fixed?: boolean;
}): Domain {
  const data = new DataFolder(folder, domain);
  switch (domain) {
    case "retail":
      return retailDomain(data, { fixed }) as Domain;
    case "airline":
      return airlineDomain(data) as Domain;
    case "telecom":
      return telecomDomain(data) as Domain;
  }
}

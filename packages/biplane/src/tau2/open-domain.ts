import { airlineTypes } from "./airline/airline-models.ts";
import { airlineTools } from "./airline/airline-tools.ts";
import { DataFolder } from "./data-folder.ts";
import type { Domain } from "./domain.ts";
import { tableDomain } from "./read-domain.ts";
import { retailTypes } from "./retail/retail-models.ts";
import { retailTools } from "./retail/retail-tools.ts";
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
      return tableDomain(data, { name: domain, types: retailTypes, tools: retailTools({ fixed }) }) as Domain;
    case "airline":
      return tableDomain(data, { name: domain, types: airlineTypes, tools: airlineTools }) as Domain;
    case "telecom":
      return telecomDomain(data) as Domain;
  }
}

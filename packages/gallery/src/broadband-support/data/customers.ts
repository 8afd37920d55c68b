import type { AddonId, LineRecord, PlanId } from "../tables.ts";

/** Number, name, street, city, postcode, birth date and card of a customer, and the line. */
export type CustomerRow = readonly [
  number: number,
  name: string,
  street: string,
  city: string,
  postcode: string,
  birthDate: string,
  card: string,
  line: LineRow,
];

/** Technology, plan, first day, end of the minimum term, add-ons. */
export type LineRow = readonly [
  technology: LineRecord["technology"],
  plan: PlanId,
  startedOn: string,
  termEndsOn: string,
  addons?: readonly AddonId[],
];

export const customerRows: readonly CustomerRow[] = [
  [1, "Amara Okafor", "14 Quay Street", "Brackwater", "10214", "1984-07-19", "4471", c("home-150", 2023)],
  [2, "Jonas Lindqvist", "3 Mill Lane", "Tarn Hill", "22105", "1991-02-03", "8820", f("home-250", 2024)],
  [3, "Priya Raman", "87 Harbour Road", "Sandreach", "41033", "1978-11-30", "1956", f("home-150", 2022)],
  [4, "Tomasz Zielinski", "5 Orchard Close", "Oldmere", "31420", "1969-05-12", "7003", c("basic-50", 2021)],
  [5, "Leila Haddad", "22 Canal Walk", "Brackwater", "10877", "1995-09-08", "3318", f("home-500", 2024, ["protect"])],
  [6, "Mateo Fuentes", "9 Station Road", "Tarn Hill", "22740", "1988-12-24", "6642", f("home-150", 2023)],
  [7, "Hana Kobayashi", "41 Fern Avenue", "Oldmere", "31988", "1973-03-15", "2095", f("max-1000", 2023, ["static-ip"])],
  [8, "Eoin Gallagher", "6 Pier View", "Sandreach", "41509", "1982-08-27", "5187", c("home-150", 2022, ["tv-pack"])],
  [9, "Ingrid Solberg", "118 North Parade", "Brackwater", "10355", "1960-01-09", "9934", c("home-150", 2020)],
  [10, "Samuel Adeyemi", "2 Chapel Court", "Oldmere", "31077", "1990-06-21", "4026", f("home-250", 2024)],
  [11, "Clara Benedetti", "73 Vine Street", "Tarn Hill", "21316", "1986-10-05", "7719", c("home-250", 2023)],
  [12, "Yusuf Demir", "10 Market Place", "Sandreach", "41871", "1979-04-17", "1240", f("home-500", 2023)],
  [13, "Noor van Dijk", "55 Heron Way", "Brackwater", "10640", "1998-02-28", "6081", c("home-150", 2023)],
  [14, "Ruth Abernathy", "19 Bell Yard", "Oldmere", "31562", "1951-12-02", "3475", c("basic-50", 2019)],
  [15, "Viktor Horvat", "31 Weir Road", "Tarn Hill", "22391", "1967-07-07", "8563", c("home-250", 2022)],
  [16, "Mei Chow", "4 Lantern Street", "Sandreach", "41226", "1993-05-26", "2918", f("home-250", 2024)],
  [17, "Daniel Moreau", "60 Lower Green", "Oldmere", "34108", "1981-09-14", "5530", f("home-250", 2023)],
  [18, "Fatima Idrissi", "12 Rope Walk", "Brackwater", "10932", "1987-01-31", "7264", c("home-150", 2023)],
  [19, "Oskar Nyman", "8 Hazel Rise", "Tarn Hill", "22018", "1975-08-11", "4409", f("home-500", 2022)],
  [
    20,
    "Beatriz Carvalho",
    "27 Kiln Lane",
    "Sandreach",
    "41390",
    "1992-11-16",
    "1873",
    f("home-150", 2023, ["protect"]),
  ],
  [
    21,
    "Kwame Mensah",
    "35 Cooper Street",
    "Oldmere",
    "31204",
    "1985-03-02",
    "9602",
    f("home-500", 2025, [], "2026-11-01"),
  ],
  [
    22,
    "Elif Aydin",
    "71 Ferry Road",
    "Brackwater",
    "10481",
    "1989-06-06",
    "3157",
    f("home-500", 2025, [], "2027-01-01"),
  ],
  [23, "Peter Novak", "16 Tower Hill", "Tarn Hill", "22956", "1963-10-23", "6798", c("home-150", 2021)],
  [24, "Sofia Marchetti", "48 Beacon Road", "Sandreach", "41742", "1996-04-04", "2381", f("home-250", 2024)],
  [25, "Arjun Mehta", "7 Willow Bank", "Oldmere", "31835", "1977-02-18", "8145", f("home-250", 2024)],
  [
    26,
    "Greta Weiss",
    "93 Dock Street",
    "Brackwater",
    "10709",
    "1958-08-30",
    "5026",
    f("home-250", 2025, [], "2026-07-24"),
  ],
  [
    27,
    "Luca Romano",
    "20 Abbey Close",
    "Tarn Hill",
    "22467",
    "1994-12-13",
    "7490",
    f("max-1000", 2025, [], "2026-12-01"),
  ],
  [28, "Aisling Byrne", "1 Lighthouse Row", "Sandreach", "47115", "1983-05-05", "1664", f("max-1000", 2022)],
  [29, "Marek Dvorak", "66 Bridge Street", "Oldmere", "31319", "1971-11-27", "9287", c("home-150", 2022)],
  [30, "Chidi Eze", "38 Park Crescent", "Brackwater", "13044", "1990-09-20", "4752", f("home-500", 2023)],
  [
    31,
    "Helena Costa",
    "11 Granary Lane",
    "Tarn Hill",
    "22683",
    "1965-06-14",
    "3806",
    f("home-500", 2022, ["tv-pack", "protect"]),
  ],
  [32, "Ravi Pillai", "52 Salt Market", "Sandreach", "41958", "1980-01-25", "6319", f("home-150", 2023)],
  [
    33,
    "Nadia Petrova",
    "29 Mason Street",
    "Oldmere",
    "31651",
    "1997-07-03",
    "8071",
    f("home-150", 2025, [], "2026-10-01"),
  ],
  [34, "Tom Whitaker", "84 River Terrace", "Brackwater", "10166", "1972-04-29", "2543", c("home-250", 2021)],
  [35, "Salma Farouk", "15 Cloth Hall Road", "Tarn Hill", "22820", "1988-03-11", "5918", f("home-500", 2023)],
  [36, "Emil Johansen", "40 Cliff Path", "Sandreach", "41604", "1955-10-19", "7137", f("home-250", 2022)],
];

/** A copper line. */
function c(plan: PlanId, year: number, addons: readonly AddonId[] = []): LineRow {
  return ["copper", plan, `${year}-02-01`, `${year + 2}-02-01`, addons];
}

/** A fibre line. */
function f(plan: PlanId, year: number, addons: readonly AddonId[] = [], termEndsOn = `${year + 2}-02-01`): LineRow {
  return ["fibre", plan, `${year}-02-01`, termEndsOn, addons];
}

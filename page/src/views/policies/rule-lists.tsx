import type { JSX } from "preact";
import type {
  PolicyList,
  PolicyRule,
  PolicyVersion,
} from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { mayUse } from "../../access.ts";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { LinkButton } from "../../components/button.tsx";
import { count } from "../../format.ts";
import { href } from "../../router.ts";
import { Conditions } from "./conditions.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

/** Every rule, by where it is written, with how often it decided. */
export function RuleLists(props: {
  readonly lists: readonly PolicyList[];
  readonly published: PolicyVersion | null;
}): JSX.Element {
  const { lists, published } = props;
  return (
    <div class="stack">
      {listsOf(lists).map((list, at) => (
        <Card
          key={at}
          title={<ListTitle list={list} />}
          isFlush
          actions={
            list.source === "published" &&
            mayUse("policies") && (
              <LinkButton size="small" href={href("policies", [], { tab: "published" })}>
                Edit
              </LinkButton>
            )
          }
        >
          {list.source === "published" && published !== null && (
            <p class="policies-about muted small">
              Version {published.version}, published by <Text value={published.publishedBy} maxLength={80} isFixed />{" "}
              <Time at={published.publishedAt} />
            </p>
          )}
          <Table
            label={`Rules of ${list.source}`}
            list={{ items: list.rules }}
            keyOf={({ id }, index) => `${index} ${id}`}
            columns={columnsOf(list)}
            empty={
              list.source === "published" ? (
                <p class="policies-about muted">
                  <b>No published rules.</b> Rules that you publish here apply at once, in addition to the config file
                  and code.
                </p>
              ) : (
                <Empty title="No rules" />
              )
            }
          />
          {list.otherwise !== null && list.rules.length > 0 && (
            <p class="policies-otherwise small muted">
              If no rule matches: {list.source === "published" ? "the other policies decide" : list.otherwise}
            </p>
          )}
        </Card>
      ))}
    </div>
  );
}

function ListTitle({ list: { source, server } }: { readonly list: ShownList }): JSX.Element {
  if (source === "config") return <>Config file</>;
  if (source === "published") return <>Published rules</>;
  if (source === functions) return <>Code policies</>;
  return (
    <>
      Rules in the code of <Text value={server ?? ""} maxLength={80} isFixed />
    </>
  );
}

/** The source of the list that has every policy that is a function. */
const functions = "functions";

interface ShownRule extends PolicyRule {
  /** The server of a function. */
  readonly server?: string | null;
}
type ShownList = Omit<PolicyList, "rules"> & { readonly rules: readonly ShownRule[] };

/** The lists as they are shown: functions, of which each is a list of its own, are one list at the end. */
function listsOf(lists: readonly PolicyList[]): readonly ShownList[] {
  const isFunction = ({ rules, otherwise }: PolicyList) =>
    otherwise === null && rules.every(({ rule }) => rule === null);
  const own = lists.filter((list) => !isFunction(list));
  const rules = lists
    .filter(isFunction)
    .flatMap((list) => list.rules.map((rule): ShownRule => ({ ...rule, server: list.server })));
  return rules.length === 0 ? own : [...own, { source: functions, server: null, otherwise: null, rules }];
}

function columnsOf({ source }: ShownList): readonly Column<ShownRule>[] {
  if (source === "config") return [...columns, lineColumn];
  // As wide as with the line, so that the columns of all lists are aligned.
  return columns.map((column) => (column.title === "Last decision" ? { ...column, width: "23rem" } : column));
}

const columns: readonly Column<ShownRule>[] = [
  {
    title: "Rule",
    cell: (rule) => (
      <div class="policies-rule">
        <span class="strong">
          {rule.name === null ? (
            <span class="muted">unnamed</span>
          ) : (
            <Text value={rule.name} maxLength={80} isFixed isMono={rule.rule === null} />
          )}
        </span>
        <span class="small muted">
          {rule.rule !== null ? (
            <Conditions rule={rule.rule} />
          ) : (
            <>
              {/^policy \d+$/.test(rule.name ?? "") ? "An unnamed function" : "A function"} in the code of{" "}
              {rule.server === null || rule.server === undefined ? (
                "the config"
              ) : (
                <Text value={rule.server} maxLength={80} isFixed />
              )}
            </>
          )}
        </span>
      </div>
    ),
    isWrapped: true,
  },
  { title: "Verdict", cell: ({ verdict }) => <VerdictBadge verdict={verdict} />, width: "6rem" },
  {
    title: "Hits",
    cell: ({ hits }) => (
      <span class="num" title={`${hits.allow} allowed, ${hits.ask} asked, ${hits.deny} denied`}>
        {count(hits.allow + hits.ask + hits.deny)}
      </span>
    ),
    width: "5rem",
    align: "end",
  },
  {
    title: "Last decision",
    cell: ({ lastAt, lastVerdict, lastTool }) =>
      lastAt === null ? (
        <span class="muted">never</span>
      ) : (
        <>
          {lastVerdict}{" "}
          <span class="mono">
            <Text value={lastTool ?? ""} maxLength={40} isFixed />
          </span>{" "}
          <span class="muted">
            <Time at={lastAt} />
          </span>
        </>
      ),
    width: "19rem",
    isWide: true,
  },
];

const lineColumn: Column<ShownRule> = {
  title: "Line",
  cell: ({ line }) => (line === null ? <span class="muted">–</span> : <span class="num">{line}</span>),
  width: "4rem",
  align: "end",
  isWide: true,
};

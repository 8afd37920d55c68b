import type { JSX } from "preact";
import type {
  PolicyList,
  PolicyRule,
  PolicyVersion,
} from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { personName } from "../approvals/person-name.ts";
import { mayUse } from "../../access.ts";
import { Snippet } from "../../components/copy.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { LinkButton } from "../../components/button.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { Conditions } from "./conditions.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

/** Every rule, by where it is written, with how often it decided. */
export function RuleLists(props: {
  readonly lists: readonly PolicyList[];
  readonly published: PolicyVersion | null;
}): JSX.Element {
  const { lists, published } = props;
  const isNarrow = !useIsWide(960);
  const isLarge = useIsWide(1500);
  if (lists.every(({ rules }) => rules.length === 0)) return <NoRules lists={lists} />;
  return (
    <div class="stack policies-lists">
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
              Version {published.version}, published by{" "}
              <Text value={personName(published.publishedBy)} maxLength={80} isFixed />{" "}
              <Time at={published.publishedAt} />
            </p>
          )}
          <Table
            label={`Rules of ${list.source}`}
            list={{ items: list.rules }}
            keyOf={({ id }, index) => `${index} ${id}`}
            columns={isNarrow ? phoneColumns : columnsOf(list, isLarge)}
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

/** What happens to every call while there are no rules. */
function NoRules({ lists }: { readonly lists: readonly PolicyList[] }): JSX.Element {
  const otherwise = lists.map((list) => list.otherwise);
  const verdict = (["deny", "ask"] as const).find((each) => otherwise.includes(each)) ?? "allow";
  return (
    <Empty
      title={`No rules: every call ${fates[verdict]}`}
      icon="policies"
      tone={verdict === "allow" ? "warn" : "plain"}
      actions={
        <>
          {mayUse("policies") && (
            <LinkButton kind="main" icon="plus" href={href("policies", [], { tab: "published" })}>
              Write a rule
            </LinkButton>
          )}
          <GuideLink page="policies" />
        </>
      }
    >
      <p>
        Rules are in <code>biplane.yaml</code>, or are published on this page and apply at once. This one lets a person
        decide about large refunds:
      </p>
      <Snippet text={example} language="yaml" label="rule" />
    </Empty>
  );
}

const fates = { allow: "is allowed", ask: "needs approval", deny: "is denied" } as const;
const example = `policies:
  - name: large-refunds
    tool: order_refund
    arguments: { amount: { min: 100 } }
    ask: Refund {arguments.amount} €?`;

function ListTitle({ list: { source, server } }: { readonly list: ShownList }): JSX.Element {
  if (source === "config") return <>Config file</>;
  if (source === "published") return <>Published rules</>;
  if (source === functions)
    return (
      <>
        Code policies{" "}
        {server !== null && (
          <span class="policies-where">
            functions in the code of <Text value={server} maxLength={80} isFixed />
          </span>
        )}
      </>
    );
  return (
    <>
      Rules in the code of <Text value={server ?? ""} maxLength={80} isFixed />
    </>
  );
}

/** The source of the list that has every policy that is a function. */
const functions = "functions";

interface ShownRule extends PolicyRule {
  /** The server of a function, unless the title of the list names it. */
  readonly server?: string | null | undefined;
  /** The function that gave this verdict its name. */
  readonly givenBy?: string | null;
}
type ShownList = Omit<PolicyList, "rules"> & { readonly rules: readonly ShownRule[] };

/** The lists as they are shown: functions, of which each is a list of its own, are one list at the end. */
function listsOf(lists: readonly PolicyList[]): readonly ShownList[] {
  const isFunction = ({ rules, otherwise }: PolicyList) =>
    otherwise === null && rules.every(({ rule }) => rule === null);
  const own = lists.filter((list) => !isFunction(list));
  const rules = lists
    .filter(isFunction)
    .flatMap((list) => list.rules.flatMap((rule) => withNamed({ ...rule, server: list.server })));
  if (rules.length === 0) return own;
  // The title names the server if all functions are in its code. Otherwise each row does.
  const [first] = rules;
  const server = rules.every((rule) => rule.server === first?.server) ? (first?.server ?? null) : null;
  const shown = server === null ? rules : rules.map((rule) => ({ ...rule, server: undefined }));
  return [...own, { source: functions, server, otherwise: null, rules: shown }];
}

/** A function, and below it the verdicts that it gave a name. */
function withNamed(rule: ShownRule): readonly ShownRule[] {
  const named = rule.named.map(({ name, verdict, hits, lastAt, lastTool }): ShownRule => {
    const counts = { allow: 0, deny: 0, ask: 0, [verdict]: hits };
    const last = { lastAt, lastTool, lastVerdict: verdict };
    return { ...rule, ...last, id: name, name, verdict, hits: counts, named: [], givenBy: rule.name };
  });
  return [rule, ...named];
}

function columnsOf({ source }: ShownList, isLarge: boolean): readonly Column<ShownRule>[] {
  const shown = isLarge ? columns.map((column) => ({ ...column, width: largeWidths[column.title] ?? "" })) : columns;
  if (source === "config") return [...shown, lineColumn];
  // As wide as with the line, so that the columns of all lists are aligned.
  const width = isLarge ? "" : "19rem";
  return shown.map((column) => (column.title === "Last decision" ? { ...column, width } : column));
}

/** In a large window, the rest is the last column, so that no column is far from the one before it. */
const largeWidths: Readonly<Record<string, string>> = {
  Rule: "50%",
  Verdict: "10%",
  "Hits, all time": "14%",
  "Last decision": "18%",
};

const columns: readonly Column<ShownRule>[] = [
  { title: "Rule", cell: (rule) => <RuleCell rule={rule} />, isWrapped: true },
  { title: "Verdict", cell: ({ verdict }) => <VerdictBadge verdict={verdict} />, width: "6rem" },
  {
    title: "Hits, all time",
    about: "All calls that a rule matched, on every server of this store, even if another list decided otherwise",
    cell: ({ hits, verdict }) => (
      <span class="num">{verdict === null && totalOf(hits) > 0 ? verdictsOf(hits) : count(totalOf(hits))}</span>
    ),
    width: "10.5rem",
    align: "end",
    isWrapped: true,
  },
  {
    title: "Last decision",
    cell: ({ verdict, lastAt, lastVerdict, lastTool }) =>
      lastAt === null ? (
        <span class="muted">never</span>
      ) : (
        <>
          <Text value={lastTool ?? ""} maxLength={40} isFixed isMono />{" "}
          <span class="muted">
            <Time at={lastAt} />
            {verdict === null && `, ${lastVerdict}`}
          </span>
        </>
      ),
    width: "15rem",
    isWide: true,
  },
];

/** On a phone, the verdict is beside the name, and the rule has the width. */
const phoneColumns: readonly Column<ShownRule>[] = [
  { title: "Rule", cell: (rule) => <RuleCell rule={rule} hasVerdict />, isWrapped: true },
  {
    title: "Hits",
    cell: ({ hits }) => <span class="muted num">{plural(totalOf(hits), "hit")}</span>,
    class: "policies-total",
    width: "5.25rem",
    align: "end",
  },
];

function RuleCell(props: { readonly rule: ShownRule; readonly hasVerdict?: boolean }): JSX.Element {
  const { rule, hasVerdict = false } = props;
  const isUnnamed = rule.rule === null && /^policy \d+$/.test(rule.name ?? "");
  return (
    <div class={rule.givenBy === undefined ? "policies-rule" : "policies-rule policies-named"}>
      <span class="strong">
        {rule.name === null ? (
          <span class="muted">unnamed</span>
        ) : (
          <Text value={rule.name} maxLength={80} isFixed isMono={rule.verdict === null} />
        )}{" "}
        {hasVerdict && <VerdictBadge verdict={rule.verdict} />}
      </span>
      <span class="small muted">
        {rule.rule !== null ? (
          <Conditions rule={rule.rule} />
        ) : rule.givenBy !== undefined ? (
          <>
            Part of the hits of <Text value={rule.givenBy ?? ""} maxLength={80} isFixed isMono />
          </>
        ) : rule.server === undefined ? (
          isUnnamed && "An unnamed function"
        ) : (
          <>
            {isUnnamed ? "An unnamed function" : "A function"} in the code of{" "}
            {rule.server === null ? "the config" : <Text value={rule.server} maxLength={80} isFixed />}
          </>
        )}
        {hasVerdict && rule.verdict === null && totalOf(rule.hits) > 0 && (
          <span class="block">{verdictsOf(rule.hits)}</span>
        )}
      </span>
    </div>
  );
}

function totalOf(hits: PolicyRule["hits"]): number {
  return hits.allow + hits.ask + hits.deny;
}

/** What a function decided: `446 allow, 17 ask`. */
function verdictsOf(hits: PolicyRule["hits"]): string {
  const given = (["allow", "ask", "deny"] as const).filter((verdict) => hits[verdict] > 0);
  return given.map((verdict) => `${count(hits[verdict])} ${verdict}`).join(", ");
}

const lineColumn: Column<ShownRule> = {
  title: "Line",
  cell: ({ line }) => (line === null ? <span class="muted">–</span> : <span class="num">{line}</span>),
  width: "4rem",
  align: "end",
  isWide: true,
};

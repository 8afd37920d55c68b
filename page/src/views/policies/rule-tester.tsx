import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PolicyList, PolicyTest } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { mayRead } from "../../access.ts";
import { callApi } from "../../api.ts";
import type { ApiResponse } from "../../api.ts";
import { Outcome } from "../../components/badge.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { inputValues } from "../../components/input-values.ts";
import { anyOutcome, outcomeChoices } from "../../components/outcome-choices.ts";
import { Card } from "../../components/page.tsx";
import { Empty, Problem } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewOnly } from "../../components/view-only.tsx";
import { usePagedList } from "../../paged-list.ts";
import { useMutation } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { TestResult } from "./test-result.tsx";

/** Tries the rules on a call that was really made. */
export function RuleTester({ lists }: { readonly lists: readonly PolicyList[] }): JSX.Element {
  return mayRead("calls") ? (
    <Tester lists={lists} />
  ) : (
    <ViewOnly action="Choosing a recorded call" scope="calls:read" />
  );
}

function Tester({ lists }: { readonly lists: readonly PolicyList[] }): JSX.Element {
  const { tool = "", outcome: given = "" } = pageLocation.value.query;
  const outcome = outcomes.find(({ value }) => value === given)?.value ?? "";
  const calls = usePagedList("/api/calls", "calls", {
    query: { tool, limit: 25, ...(outcome !== "" && { outcome }) },
  });
  const isWide = useIsWide(1001);
  const [chosen, setChosen] = useState<Call>();
  const [isPicked, setPicked] = useState(false);
  const [result, setResult] = useState<PolicyTest>();
  const test = useMutation(async (call: Call, signal) => {
    setChosen(call);
    setResult(undefined);
    setResult(await callApi("POST /api/policies/test", { body: { call: call.id }, signal }));
  });
  // Beside the list there is always a result: of the newest call, until one is picked.
  const newest = calls.items[0];
  useEffect(() => {
    if (isWide && !isPicked && newest) void test.run(newest);
  }, [newest?.id, isWide]);
  const shown = (
    <>
      {test.error !== undefined && <Problem error={test.error} />}
      {result && chosen ? (
        <TestResult result={result} call={chosen} lists={lists} />
      ) : (
        test.error === undefined && (
          <Card>
            <Empty title={test.isBusy ? "Testing…" : "Choose a recorded call"} icon="policies">
              The rules of the config file and the published ones are applied to it, and each says why it matches or
              not. Policies in code are not run.
            </Empty>
          </Card>
        )
      )}
    </>
  );
  return (
    <div class="split policies-test">
      <div class="stack-tight">
        <div class="toolbar">
          <Search label="Search tool" value={tool} onInput={(text) => setQuery({ tool: text })} />
          <FilterSelect label="Outcome" name="outcome" value={outcome} choices={outcomes} />
        </div>
        {!isWide && calls.items.length > 0 && (
          <p class="small muted">Choose a recorded call to see which rules match it.</p>
        )}
        <Table
          label="Recorded calls"
          list={calls}
          keyOf={({ id }) => id}
          onOpen={(call) => {
            setPicked(true);
            void test.run(call);
          }}
          current={chosen?.id}
          columns={columns}
          empty={
            <Empty title="No recorded calls" icon="live">
              Calls appear here after an agent has made them.
            </Empty>
          }
        />
      </div>
      {isWide ? (
        <div class="stack">{shown}</div>
      ) : (
        isPicked && (
          <Drawer
            title="Test of a recorded call"
            onClose={() => {
              setPicked(false);
              setChosen(undefined);
            }}
          >
            <div class="stack">{shown}</div>
          </Drawer>
        )
      )}
    </div>
  );
}

const outcomes = [anyOutcome, { value: "failed", title: "any failure" }, ...outcomeChoices];

export type Call = ApiResponse<"GET /api/calls">["calls"][number];

const columns: readonly Column<Call>[] = [
  {
    title: "Tool",
    cell: ({ tool }) => <Text value={tool} maxLength={60} isFixed isMono />,
    under: ({ preview }) => <Text value={inputValues(preview)} maxLength={60} isFixed />,
    class: "policies-tool",
  },
  {
    title: "Input",
    cell: ({ preview }) => <Text value={inputValues(preview)} maxLength={160} isFixed class="muted" />,
    isWide: true,
  },
  {
    title: "Caller",
    cell: ({ principal }) => (
      <span class="muted" title={principal.kind}>
        <Text value={principal.id} maxLength={40} isFixed />
      </span>
    ),
    width: "8rem",
    isRoomy: true,
  },
  {
    title: "Outcome",
    cell: ({ outcome }) => <Outcome value={outcome} />,
    under: ({ at }) => <Time at={at} />,
    width: "9.5rem",
    class: "policies-outcome",
  },
  { title: "When", cell: ({ at }) => <Time at={at} />, width: "6.5rem", align: "end", isWide: true },
];

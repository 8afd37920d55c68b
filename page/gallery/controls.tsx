import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, Outcome } from "../src/components/badge.tsx";
import { Button } from "../src/components/button.tsx";
import { Confirm, Dialog, Drawer } from "../src/components/dialog.tsx";
import { Checkbox, Input, Search, Segmented, Select } from "../src/components/field.tsx";
import { Menu } from "../src/components/menu.tsx";
import { Card, Facts, Figure } from "../src/components/page.tsx";
import { Empty, Loading, Problem } from "../src/components/states.tsx";
import { Table } from "../src/components/table.tsx";
import { Tabs } from "../src/components/tabs.tsx";
import { toast } from "../src/components/toast.tsx";

export function Controls(): JSX.Element {
  const [open, setOpen] = useState<"dialog" | "drawer" | "confirm">();
  const [tab, setTab] = useState<"one" | "two">("one");
  const [segment, setSegment] = useState<"form" | "json">("form");
  const [text, setText] = useState("");
  const [isOn, setOn] = useState(true);
  const close = () => setOpen(undefined);
  return (
    <div class="split">
      <Card title="Buttons and badges">
        <div class="stack">
          <div class="row">
            <Button kind="main">Approve</Button>
            <Button icon="refresh">Reload</Button>
            <Button kind="bad" icon="trash" onClick={() => setOpen("confirm")}>
              Delete
            </Button>
            <Button kind="quiet" icon="more" label="More" />
            <Button isBusy>Saving</Button>
            <Button isDisabled>Not now</Button>
          </div>
          <div class="row">
            {(["plain", "good", "bad", "warn", "info", "accent"] as const).map((tone) => (
              <Badge key={tone} tone={tone} dot>
                {tone}
              </Badge>
            ))}
          </div>
          <div class="row">
            {(["done", "suspended", "POLICY_DENIED", "EXECUTION_ERROR", "RATE_LIMITED"] as const).map((outcome) => (
              <Outcome key={outcome} value={outcome} />
            ))}
          </div>
          <div class="row">
            <Button onClick={() => setOpen("dialog")}>Open a dialog</Button>
            <Button onClick={() => setOpen("drawer")}>Open a drawer</Button>
            <Button onClick={() => toast("Approved 3 calls")}>Show a toast</Button>
            <Menu
              label="Approve… (more options)"
              class="button button-plain button-usual"
              items={[
                { title: "Always", icon: "check", run: () => toast("Always") },
                { title: "Never", icon: "close", isBad: true, run: () => toast("Never", "bad") },
              ]}
            >
              Approve…
            </Menu>
          </div>
        </div>
      </Card>
      <Card title="Fields">
        <div class="stack">
          <div class="toolbar">
            <Search label="Search tools" value={text} onInput={setText} />
            <Segmented
              label="Mode"
              value={segment}
              choices={[
                { value: "form", title: "Form" },
                { value: "json", title: "JSON" },
              ]}
              onChange={setSegment}
            />
          </div>
          <Input label="Name" hint="Lower case" error="Required." isRequired value={text} onInput={setText} />
          <Select
            label="Server"
            value="a"
            choices={[{ value: "a", title: "customer-support" }]}
            onChange={() => undefined}
          />
          <Checkbox label="Only failures" isChecked={isOn} onChange={setOn} />
          <Tabs
            label="Parts"
            tabs={[
              { id: "one", title: "Input" },
              { id: "two", title: "Result", aside: <Badge tone="good">2</Badge> },
            ]}
            current={tab}
            onChange={setTab}
          >
            {tab === "one" ? "The input" : "The result"}
          </Tabs>
        </div>
      </Card>
      <Table
        label="People"
        list={{ items: ["ada", "alan", "grace"], hasMore: true, more: () => toast("more") }}
        keyOf={(row) => row}
        onOpen={(row) => toast(`opened ${row}`)}
        columns={[
          { title: "Name", cell: (row) => row },
          { title: "Length", cell: (row) => row.length, align: "end", width: "6rem" },
        ]}
        empty={null}
      />
      <div class="stack">
        <div class="figures">
          <Figure title="Reward" value="0.83" about="over 1,200 rollouts" tone="good" />
          <Figure title="Failures" value="12" tone="bad" />
        </div>
        <Facts
          facts={[
            ["Agent", "claude-desktop"],
            ["Route", "mcp"],
          ]}
        />
        <Problem error={new Error("Cannot reach the server.")} retry={() => toast("again")} />
        <Card isFlush>
          <Empty title="No scripts yet" icon="scripts">
            An agent writes one with script_write.
          </Empty>
        </Card>
        <Loading />
      </div>
      {open === "dialog" && (
        <Dialog title="A dialog" onClose={close} actions={<Button onClick={close}>Done</Button>}>
          <Input label="Reason" value={text} onInput={setText} />
        </Dialog>
      )}
      {open === "drawer" && (
        <Drawer title="A drawer" onClose={close}>
          Content of the drawer.
        </Drawer>
      )}
      {open === "confirm" && (
        <Confirm title="Delete this item?" action="Delete" run={async () => close()} onClose={close}>
          This cannot be undone.
        </Confirm>
      )}
    </div>
  );
}

import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import type { PagedList } from "../paged-list.ts";
import { go } from "../router.ts";
import { useIsWide } from "../use-is-wide.ts";
import { Button } from "./button.tsx";
import { Checkbox } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { Loading, Problem } from "./states.tsx";
import { useProgressiveCount } from "./use-progressive-count.ts";

export interface Column<Row> {
  readonly title: string;
  /** Tooltip of the heading. */
  readonly about?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Such as `8rem`. Columns without a width share the rest. Overflowing text gets an ellipsis. */
  readonly width?: string;
  readonly align?: "end";
  readonly isWrapped?: boolean;
  /** Hidden below 960 px. Keep two or three columns visible there. */
  readonly isWide?: boolean;
  /** A second line of the cell below 960 px: what hidden columns show on larger screens. */
  readonly under?: (row: Row) => ComponentChildren;
  /** Hidden below 1500 px: what only large screens have space for. */
  readonly isRoomy?: boolean;
  /** A class of the cells, for a view's own style. */
  readonly class?: string;
  /** The order by this column, `-name` if descending comes first. Its heading becomes a button. Needs `sort`. */
  readonly order?: string;
}

/** The data of a table; `usePagedList` returns it. */
export type TableList<Row> = Pick<PagedList<Row>, "items"> & Partial<Omit<PagedList<Row>, "change">>;

export interface TableProps<Row> {
  readonly label: string;
  readonly list: TableList<Row>;
  /** Those that are false are left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly keyOf: (row: Row, at: number) => string;
  /** Shown if there are no rows. */
  readonly empty?: ComponentChildren;
  /** Link target of a row. The first cell becomes the link; a click anywhere in the row follows it. */
  readonly hrefOf?: ((row: Row) => string) | undefined;
  /** Alternative to `hrefOf`: called when a row is opened. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** Key of the open row. */
  readonly current?: string | undefined;
  /** Adds a checkbox to every row. */
  readonly ticked?:
    | {
        readonly keys: ReadonlySet<string>;
        readonly onChange: (keys: ReadonlySet<string>) => void;
        /** Names the row for screen readers (default: `row`). */
        readonly nameOf?: (row: Row) => string;
      }
    | undefined;
  /** The current order, such as `reward` or `-reward`, and what a click on a heading does. */
  readonly sort?: TableSort | undefined;
}

export interface TableSort {
  readonly order: string;
  readonly onChange: (order: string) => void;
}

/** A table with a sticky header. Arrow keys or j and k move between rows; Enter opens a row. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, list, keyOf, empty, ticked } = props;
  const columns = props.columns.filter((column) => column !== false);
  const body = useRef<HTMLTableSectionElement>(null);
  const keys = list.items.map(keyOf);
  const drawn = useProgressiveCount(list.items.length);
  const isNarrow = !useIsWide(960);
  return (
    <div class="table-box">
      {list.error !== undefined && <Problem error={list.error} {...(list.reload && { retry: list.reload })} />}
      {list.items.length > 0 && (
        <table class="table">
          <caption class="hidden">{label}</caption>
          <thead>
            <tr>
              {ticked && (
                <th scope="col" class="tick">
                  <Checkbox
                    label="Select all rows"
                    isLabelHidden
                    isChecked={keys.every((key) => ticked.keys.has(key))}
                    onChange={(isAll) => ticked.onChange(new Set(isAll ? keys : []))}
                  />
                </th>
              )}
              {columns.map((column) => (
                <Heading key={column.title} column={column} sort={props.sort} />
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={(event) => moveBetweenRows(event, body.current)}>
            {list.items.slice(0, drawn).map((row, at) => (
              <Row key={keys[at]} {...props} columns={columns} row={row} rowKey={keys[at] ?? ""} isNarrow={isNarrow} />
            ))}
          </tbody>
        </table>
      )}
      {list.items.length === 0 && list.error === undefined && (list.isLoading === true ? <Loading rows={5} /> : empty)}
      {list.hasMore === true && list.items.length > 0 && (
        <div class="table-more">
          <Button size="small" isBusy={list.isLoadingMore === true} onClick={() => list.more?.()}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

function Heading<Row>({ column, sort }: Pick<TableProps<Row>, "sort"> & { readonly column: Column<Row> }): JSX.Element {
  const { title, about, order: first, width = "" } = column;
  const attributes = { scope: "col", class: classOf(column), style: { width }, title: about } as const;
  if (!sort || first === undefined) return <th {...attributes}>{title}</th>;
  const isOwn = sort.order.replace("-", "") === first.replace("-", "");
  const isDescending = sort.order.startsWith("-");
  const next = sort.order === first ? reversed(first) : first;
  return (
    <th {...attributes} aria-sort={isOwn ? (isDescending ? "descending" : "ascending") : undefined}>
      <button type="button" class="table-sort" onClick={() => sort.onChange(next)}>
        {title}
        {isOwn && <Icon name={isDescending ? "down" : "up"} size={12} />}
      </button>
    </th>
  );
}

function reversed(order: string): string {
  return order.startsWith("-") ? order.slice(1) : `-${order}`;
}

interface RowProps<Row> extends TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly rowKey: string;
  readonly isNarrow: boolean;
}

function Row<Row>(props: RowProps<Row>): JSX.Element {
  const { row, rowKey, isNarrow, columns, hrefOf, onOpen, current, ticked } = props;
  const open = hrefOf ? () => go(hrefOf(row)) : onOpen && (() => onOpen(row));
  const tick = (isTicked: boolean) => {
    const keys = new Set(ticked?.keys);
    if (isTicked) keys.add(rowKey);
    else keys.delete(rowKey);
    ticked?.onChange(keys);
  };
  return (
    <tr
      class={open ? "row-open" : undefined}
      aria-current={current === rowKey ? "true" : undefined}
      onClick={(event) => {
        if (open && !isForControl(event)) open();
      }}
    >
      {ticked && (
        <td class="tick">
          <Checkbox
            label={`Select ${ticked.nameOf?.(row) ?? "row"}`}
            isLabelHidden
            isChecked={ticked.keys.has(rowKey)}
            onChange={tick}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td key={column.title} class={classOf(column)}>
          {at > 0 || !open ? (
            column.cell(row)
          ) : hrefOf ? (
            <a class="row-link" href={hrefOf(row)}>
              {column.cell(row)}
            </a>
          ) : (
            <button type="button" class="row-link" onClick={open}>
              {column.cell(row)}
            </button>
          )}
          {isNarrow && column.under && <span class="row-under">{column.under(row)}</span>}
        </td>
      ))}
    </tr>
  );
}

function classOf<Row>({ align, isWrapped, isWide, isRoomy, class: own }: Column<Row>): string {
  const kinds = [align === "end" && "end", isWrapped && "wrapped", isWide && "wide-only", isRoomy && "roomy-only", own];
  return kinds.filter(Boolean).join(" ");
}

/** Clicks on controls and text selections must not open the row. */
function isForControl(event: MouseEvent): boolean {
  const isControl =
    event.target instanceof Element && event.target.closest("a, button, input, label, select, textarea");
  return Boolean(isControl) || getSelection()?.isCollapsed === false;
}

function moveBetweenRows(event: KeyboardEvent, body: HTMLElement | null): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || !body || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...body.querySelectorAll<HTMLElement>(".row-link")];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

import type { ComponentChildren } from 'preact';
import { formatAgo, formatMoment } from '../../../ui/index.ts';
import type { DataRecord, ListQuery } from '../api.ts';
import { isAskable } from './columns.ts';
import { Value } from './value.tsx';

export type Sort = Pick<ListQuery, 'orderBy' | 'order'>;

interface Props {
  caption: string;
  records: DataRecord[];
  fields: string[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  onSelect: (ids: string[], isSelected: boolean) => void;
  /** Records that have just changed under one's eyes. */
  fresh: ReadonlySet<string>;
  onOpen: (record: DataRecord) => void;
  isBusy: boolean;
}

/** Records as rows, their fields as columns. */
export function RecordsTable(props: Props) {
  const { caption, records, fields, selected, onSelect, fresh, isBusy } = props;
  const isTold = records.some(({ createdBy }) => createdBy);
  const areAll = records.length > 0 && records.every(({ id }) => selected.has(id));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table data-table" tabIndex={0} aria-label={caption} aria-busy={isBusy}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="data-check">
              <Check
                label="Select all shown"
                checked={areAll}
                onChange={(on) =>
                  onSelect(
                    records.map(({ id }) => id),
                    on,
                  )
                }
              />
            </th>
            <th scope="col">Record</th>
            {fields.map((field) => (
              <Heading key={field} {...props} orderBy={isAskable(field) ? `data.${field}` : undefined}>
                {field}
              </Heading>
            ))}
            {isTold && <th scope="col">Created by</th>}
            <Heading {...props} orderBy="created_at">
              Created
            </Heading>
            <Heading {...props} orderBy="updated_at">
              Updated
            </Heading>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Row key={record.id} record={record} isFresh={fresh.has(record.id)} isTold={isTold} {...props} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({
  record,
  fields,
  selected,
  onSelect,
  onOpen,
  isFresh,
  isTold,
}: Props & { record: DataRecord; isFresh: boolean; isTold: boolean }) {
  const { id, data, createdAt, updatedAt, createdBy } = record;
  const name = id.slice(-8);
  return (
    <tr class={isFresh ? 'fresh' : ''} {...(selected.has(id) && { 'data-selected': true })}>
      <td class="data-check">
        <Check label={`Select ${name}`} checked={selected.has(id)} onChange={(on) => onSelect([id], on)} />
      </td>
      <td>
        <button
          type="button"
          class="data-open"
          title={id}
          aria-label={`Open record ${name}`}
          onClick={() => onOpen(record)}
        >
          …{name}
        </button>
      </td>
      {fields.map((field) => (
        <td key={field}>
          <Value value={Object.hasOwn(data, field) ? data[field] : undefined} />
        </td>
      ))}
      {isTold && <td class="data-nowrap">{createdBy?.username}</td>}
      <Moment iso={createdAt} />
      <Moment iso={updatedAt} />
    </tr>
  );
}

function Moment({ iso }: { iso: string }) {
  return (
    <td class="data-nowrap faint">
      <time dateTime={iso} title={formatMoment(iso)}>
        {formatAgo(iso)}
      </time>
    </td>
  );
}

/** A column's name; pressing it sorts by the column, and again the other way round. */
function Heading({
  orderBy,
  sort,
  onSort,
  children,
}: Pick<Props, 'sort' | 'onSort'> & { orderBy: string | undefined; children: ComponentChildren }) {
  if (orderBy === undefined) return <th scope="col">{children}</th>;
  const isBy = sort.orderBy === orderBy;
  const press = () => onSort({ orderBy, order: isBy && sort.order === 'desc' ? 'asc' : 'desc' });
  return (
    <th scope="col" {...(isBy && { 'aria-sort': sort.order === 'asc' ? 'ascending' : 'descending' })}>
      <button type="button" class="data-sort" onClick={press}>
        {children}
        <span aria-hidden="true">{isBy ? (sort.order === 'asc' ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  );
}

function Check(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={props.label}
      checked={props.checked}
      onChange={(event) => props.onChange((event.target as HTMLInputElement).checked)}
    />
  );
}

import { formatAgo, formatMoment, Heading } from '../../../ui/index.ts';
import type { DataRecord, ListQuery } from '../api.ts';
import { isSortable } from './columns.ts';
import { Value } from './value.tsx';

type Sort = Pick<ListQuery, 'orderBy' | 'order'>;

interface Props {
  caption: string;
  records: DataRecord[];
  fields: string[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  onSelect: (ids: string[], isSelected: boolean) => void;
  /** Records that changed a moment ago. */
  fresh: ReadonlySet<string>;
  onOpen: (record: DataRecord) => void;
  isBusy: boolean;
}

/** A table with a row per record and a column per field. */
export function RecordsTable(props: Props) {
  const { caption, records, fields, selected, onSelect, fresh, isBusy } = props;
  const hasAuthors = records.some(({ createdBy }) => createdBy);
  const areAll = records.length > 0 && records.every(({ id }) => selected.has(id));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table data-table" tabIndex={0} aria-label={caption} aria-busy={isBusy}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="data-check">
              <Check
                label="Select all on this page"
                checked={areAll}
                onChange={(on) =>
                  onSelect(
                    records.map(({ id }) => id),
                    on,
                  )
                }
              />
            </th>
            <Heading title="Record" />
            {fields.map((field) => (
              <Heading
                key={field}
                title={field}
                {...(isSortable(field) && sorting(`data.${field}`, props))}
              />
            ))}
            {hasAuthors && <Heading title="Author" />}
            <Heading title="Created" {...sorting('created_at', props)} />
            <Heading title="Updated" {...sorting('updated_at', props)} />
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Row
              key={record.id}
              record={record}
              isFresh={fresh.has(record.id)}
              hasAuthors={hasAuthors}
              {...props}
            />
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
  hasAuthors,
}: Props & { record: DataRecord; isFresh: boolean; hasAuthors: boolean }) {
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
      {hasAuthors && <td class="data-nowrap">{createdBy?.username}</td>}
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

/** Sorts by a column: largest first, then smallest first. */
function sorting(orderBy: string, { sort, onSort }: Pick<Props, 'sort' | 'onSort'>) {
  const isBy = sort.orderBy === orderBy;
  return {
    onSort: () => onSort({ orderBy, order: isBy && sort.order === 'desc' ? 'asc' : 'desc' }),
    sorted: isBy ? ({ asc: 'ascending', desc: 'descending' } as const)[sort.order] : undefined,
  };
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

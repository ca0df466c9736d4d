import { Grid, type GridColumn, type LayoutControls, type Sort } from '../../../grid/index.ts';
import { t } from '../../../texts/index.ts';
import { formatAgo, formatMoment } from '../../../ui/index.ts';
import type { CollectionSchema, DataRecord } from '../api.ts';
import { chooseColumnType, isSortable, listFields } from './columns.ts';
import type { Records } from './use-records.ts';
import { Value } from './value.tsx';

/** The columns of a list of records: a link to open each, a column per field, and what the service knows. */
export function listColumns(
  list: DataRecord[],
  schema: CollectionSchema | null,
  onOpen: (record: DataRecord) => void,
): Array<GridColumn<DataRecord>> {
  const hasAuthors = list.some(({ createdBy }) => createdBy);
  return [
    {
      ...{ key: ' record', title: t('Record'), type: 'any', width: 124, canFilter: false, isFixed: true },
      cell: (record) => <OpenButton record={record} onOpen={onOpen} />,
    },
    ...listFields(list, schema).fields.map((field) => fieldColumn(field, list, schema)),
    ...(hasAuthors ? [authorColumn()] : []),
    momentColumn(t('Created'), 'created_at', ({ createdAt }) => createdAt),
    momentColumn(t('Updated'), 'updated_at', ({ updatedAt }) => updatedAt),
  ];
}

const fieldColumn = (
  field: string,
  list: DataRecord[],
  schema: CollectionSchema | null,
): GridColumn<DataRecord> => ({
  key: field,
  title: field,
  ...chooseColumnType(field, schema, list),
  canFilter: isSortable(field),
  sortKey: isSortable(field) ? `data.${field}` : undefined,
  cell: ({ data }) => <Value value={Object.hasOwn(data, field) ? data[field] : undefined} />,
});

const authorColumn = (): GridColumn<DataRecord> => ({
  ...{ key: ' author', title: t('Author'), type: 'text', width: 130, canFilter: false },
  cell: ({ createdBy }) => createdBy?.username,
});

const momentColumn = (
  title: string,
  key: 'created_at' | 'updated_at',
  readMoment: (record: DataRecord) => string,
): GridColumn<DataRecord> => ({
  ...{ key: ` ${key}`, title, type: 'date', width: 140, canFilter: false, sortKey: key },
  cell: (record) => (
    <time class="faint" dateTime={readMoment(record)} title={formatMoment(readMoment(record))}>
      {formatAgo(readMoment(record))}
    </time>
  ),
});

const shortenId = ({ id }: DataRecord) => id.slice(-8);

function OpenButton({ record, onOpen }: { record: DataRecord; onOpen: (record: DataRecord) => void }) {
  return (
    <button
      type="button"
      class="data-open"
      title={record.id}
      aria-label={t('Open record {name}', { name: shortenId(record) })}
      onClick={() => onOpen(record)}
    >
      …{shortenId(record)}
    </button>
  );
}

interface Props {
  caption: string;
  records: Records;
  columns: Array<GridColumn<DataRecord>>;
  controls: LayoutControls;
  isSelected: (record: DataRecord) => boolean;
  onSelect: (records: DataRecord[], isSelected: boolean) => void;
  onFilter: Parameters<typeof Grid<DataRecord>>[0]['onFilter'];
}

/** A table with a row per record. */
export function RecordsTable({ caption, records, columns, controls, isSelected, onSelect, onFilter }: Props) {
  const { query, listing, fresh } = records;
  const sort: Sort = {
    key: query.orderBy,
    direction: query.order === 'asc' ? 'ascending' : 'descending',
  };
  return (
    <div class="data-table">
      <Grid
        {...{ caption, columns, controls, getName: shortenId }}
        rows={listing?.records ?? []}
        getKey={({ id }) => id}
        sort={sort}
        onSort={(next) =>
          records.sort({
            orderBy: next?.key ?? 'created_at',
            order: next?.direction === 'ascending' ? 'asc' : 'desc',
          })
        }
        {...(onFilter && { onFilter })}
        selection={{ has: isSelected, onSelect }}
        getClass={({ id }) => (fresh.has(id) ? 'fresh' : '')}
        isBusy={records.isLoading}
      />
    </div>
  );
}

import { Grid, type GridColumn, type LayoutControls } from '../../../grid/index.ts';
import { t } from '../../../texts/index.ts';
import { formatAgo, formatMoment } from '../../../ui/index.ts';
import type { CollectionTarget, DataRecord } from '../api.ts';
import { recordEditing } from './cell-editing.ts';
import { chooseColumnType, chooseTitleField, listFields } from './columns.ts';
import { isSortable } from './fields.ts';
import { findMarks, Marked } from './marked.tsx';
import type { Records } from './use-records.ts';
import { Value } from './value.tsx';

/** The columns of a list of records: what names each, the other fields, and what the service knows. */
export function listColumns({ listing, fields, schema }: Records): Array<GridColumn<DataRecord>> {
  const list = listing?.records ?? [];
  const hasAuthors = list.some(({ createdBy }) => createdBy);
  const title = chooseTitleField(fields, schema, list);
  const toColumn = (field: string): GridColumn<DataRecord> => ({
    key: field,
    title: field,
    ...chooseColumnType(field, schema, list),
    canFilter: isSortable(field),
    sortKey: isSortable(field) ? `data.${field}` : undefined,
    ...(field === title && { isTitle: true, isFixed: true, width: 260 }),
    cell: ({ data, marks }) => {
      const found = findMarks(marks, field);
      if (found) return <Marked marks={found} />;
      return <Value value={Object.hasOwn(data, field) ? data[field] : undefined} />;
    },
  });
  return [
    ...(title === undefined ? [{ ...idColumn(), isTitle: true, isFixed: true, width: 180 }] : []),
    ...listFields(fields, title).fields.map(toColumn),
    ...(hasAuthors ? [authorColumn()] : []),
    momentColumn(t('Created'), 'created_at', ({ createdAt }) => createdAt),
    momentColumn(t('Updated'), 'updated_at', ({ updatedAt }) => updatedAt),
    ...(title === undefined ? [] : [{ ...idColumn(), isOptional: true }]),
  ];
}

const idColumn = (): GridColumn<DataRecord> => ({
  ...{ key: ' id', title: t('Record id'), type: 'any', width: 330, canFilter: false },
  cell: ({ id }) => (
    <code class="data-id" title={id}>
      {id}
    </code>
  ),
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

const MAX_NAME = 60;

/** The title of a record, for screen readers. */
const nameRecord = (title: string | undefined) => {
  return ({ id, data }: DataRecord) => {
    const named = title !== undefined && Object.hasOwn(data, title) ? data[title] : undefined;
    return typeof named === 'string' && named !== '' ? named.slice(0, MAX_NAME) : id.slice(-8);
  };
};

interface Props {
  target: CollectionTarget;
  records: Records;
  columns: Array<GridColumn<DataRecord>>;
  controls: LayoutControls;
  isSelected: (record: DataRecord) => boolean;
  onSelect: (records: DataRecord[], isSelected: boolean) => void;
  onFilter: Parameters<typeof Grid<DataRecord>>[0]['onFilter'];
  onOpen: (record: DataRecord) => void;
}

/** A table with a row per record. */
export function RecordsTable({ target, records, columns, controls, ...rest }: Props) {
  const { listing, fresh, sort } = records;
  const { isSelected, onSelect, onFilter, onOpen } = rest;
  return (
    <div class="data-table">
      <Grid
        caption={t('Records of {collection}', { collection: target.collection })}
        {...{ columns, controls, sort, onOpen }}
        rows={listing?.records ?? []}
        getKey={({ id }) => id}
        getName={nameRecord(columns.find(({ isTitle }) => isTitle)?.key)}
        editing={recordEditing(target, records)}
        onSort={(next) => records.ask({ sort: next })}
        {...(onFilter && { onFilter })}
        selection={{ has: isSelected, onSelect }}
        getClass={({ id }) => (fresh.has(id) ? 'fresh' : '')}
        isBusy={records.isLoading}
      />
    </div>
  );
}

import { useState } from 'preact/hooks';
import { type Condition, NO_FILTER, useLayout } from '../../../grid/index.ts';
import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Badge, Button, Empty, Failure, Pager, Section, Select, Skeleton } from '../../../ui/index.ts';
import { type CollectionTarget, toDataScreen } from '../api.ts';
import { listFields } from './columns.ts';
import type { LiveState } from './live.ts';
import { OpenDialog, type Opened } from './open-dialog.tsx';
import { RecordFilters } from './record-filters.tsx';
import { listColumns, RecordsTable } from './records-table.tsx';
import { SelectionBar } from './selection.tsx';
import { type Records, useRecords } from './use-records.ts';
import { useSelection } from './use-selection.ts';
import { fromWhere, toWhere } from './where.ts';

/** The records of a collection. */
export function RecordsScreen({ target }: { target: CollectionTarget }) {
  const records = useRecords(target);
  const { query, listing } = records;
  const [opened, setOpened] = useState<Opened>();
  const selection = useSelection(query.where, listing?.total ?? 0);
  return (
    <Section
      title={target.collection}
      back={{ href: toDataScreen(target), label: t('Collections') }}
      hint={target.type === 'solo_data' && t('Only your own records. Records of other visitors are private.')}
      actions={<Actions target={target} hasRecords={Boolean(listing?.total)} onOpen={setOpened} />}
    >
      <List {...{ target, records, selection }} onOpen={setOpened} />
      <OpenDialog
        {...{ target, records, opened, setOpened }}
        onBulkDone={() => {
          selection.clear();
          setOpened(undefined);
          void records.reload();
        }}
      />
    </Section>
  );
}

interface ActionsProps {
  target: CollectionTarget;
  hasRecords: boolean;
  onOpen: (opened: Opened) => void;
}

function Actions({ target, hasRecords, onOpen }: ActionsProps) {
  return (
    <>
      <Link class="button quiet" href={toDataScreen(target, target.collection, 'schema')}>
        {t('Schema')}
      </Link>
      <Button kind="quiet" onClick={() => onOpen({ kind: 'import' })}>
        {t('Import')}
      </Button>
      <Button kind="quiet" onClick={() => onOpen({ kind: 'export' })} disabled={!hasRecords}>
        {t('Export')}
      </Button>
      <Button onClick={() => onOpen({ kind: 'record', record: undefined })}>{t('New record')}</Button>
    </>
  );
}

interface ListProps {
  target: CollectionTarget;
  records: Records;
  selection: ReturnType<typeof useSelection>;
  onOpen: (opened: Opened) => void;
}

/** The filter, the table of records and its pages. */
function List({ target, records, selection, onOpen }: ListProps) {
  const { query, listing, schema, error } = records;
  const controls = useLayout(`${target.pageId}.${target.type}.${target.collection}`);
  const shown = listing?.records ?? [];
  const columns = listColumns(shown, schema, (record) => onOpen({ kind: 'record', record }));
  const isWhereRefused = error !== undefined && query.where !== undefined;
  const filter = query.where === undefined ? NO_FILTER : fromWhere(query.where);
  const addCondition = (condition: Condition) =>
    filter && records.filter(toWhere({ ...filter, conditions: [...filter.conditions, condition] }));
  const openBulk = (kind: 'edit' | 'delete') => onOpen({ kind, selected: selection.selected });
  return (
    <>
      <div class="data-bar">
        <RecordFilters
          {...{ columns, controls }}
          where={query.where}
          onApply={records.filter}
          error={isWhereRefused ? error.message : undefined}
        />
        <Arrivals records={records} />
      </div>
      <SelectionBar
        selected={selection.selected}
        total={listing?.total ?? 0}
        isFiltered={query.where !== undefined}
        onSelectAll={selection.selectAll}
        onEdit={() => openBulk('edit')}
        onDelete={() => openBulk('delete')}
        onClear={selection.clear}
      />
      {error && !isWhereRefused && <Failure error={error} retry={records.reload} />}
      {!listing && !error && <Skeleton lines={10} />}
      {listing && shown.length === 0 && (
        <NoRecords
          isFiltered={query.where !== undefined}
          onNew={() => onOpen({ kind: 'record', record: undefined })}
          onImport={() => onOpen({ kind: 'import' })}
        />
      )}
      {shown.length > 0 && (
        <RecordsTable
          caption={t('Records of {collection}', { collection: target.collection })}
          {...{ records, columns, controls }}
          isSelected={selection.has}
          onSelect={selection.select}
          onFilter={filter && addCondition}
        />
      )}
      <Foot records={records} />
    </>
  );
}

const PAGE_SIZES = ['25', '50', '100'] as const;

function Foot({ records: { query, listing, schema, move } }: { records: Records }) {
  if (!listing) return null;
  const { hidden } = listFields(listing.records, schema);
  return (
    <>
      {hidden > 0 && (
        <p class="hint">
          {t(
            '{hidden|1 more field without a column. Open a record to see all of its fields.|{hidden} more fields without a column. Open a record to see all of its fields.}',
            { hidden },
          )}
        </p>
      )}
      {listing.total > 0 && (
        <Pager
          {...{ offset: query.offset, limit: query.limit, total: listing.total }}
          shown={listing.records.length}
          anyPage
          onMove={(offset) => move({ offset, limit: query.limit })}
        >
          <Select
            label={t('Records per page')}
            hideLabel
            value={String(query.limit)}
            options={PAGE_SIZES.map((size) => [size, t('{size} per page', { size })] as const)}
            onChange={(size) => move({ offset: 0, limit: Number(size) })}
          />
        </Pager>
      )}
    </>
  );
}

/** New records that are not in the list yet, and whether the list is live. */
function Arrivals({ records }: { records: Records }) {
  return (
    <>
      {records.unseen > 0 && (
        <Button kind="bare" onClick={records.reload}>
          {t('{count|Show 1 new record|Show {count} new records}', { count: records.unseen })}
        </Button>
      )}
      <LiveMark state={records.live} />
    </>
  );
}

function LiveMark({ state }: { state: LiveState }) {
  const words = { live: t('Live'), connecting: t('Connecting…'), off: t('Not live') }[state];
  return (
    <span class="data-live" role="status" title={t('Whether changes by other people appear automatically')}>
      <Badge kind={state === 'live' ? 'good' : 'plain'}>{words}</Badge>
    </span>
  );
}

interface NoRecordsProps {
  isFiltered: boolean;
  onNew: () => void;
  onImport: () => void;
}

function NoRecords({ isFiltered, onNew, onImport }: NoRecordsProps) {
  if (isFiltered) return <Empty title={t('No records found')}>{t('No record matches the filter.')}</Empty>;
  return (
    <Empty
      title={t('No records yet')}
      action={
        <>
          <Button onClick={onNew}>{t('Add a record')}</Button>
          <Button kind="quiet" onClick={onImport}>
            {t('Import a file')}
          </Button>
        </>
      }
    >
      {t('Records appear here when visitors of the page save them.')}
    </Empty>
  );
}

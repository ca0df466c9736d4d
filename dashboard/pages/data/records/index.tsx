import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Condition, fromWhere, KeyHints, NO_FILTER, toWhere, useLayout } from '../../../grid/index.ts';
import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Badge, Button, Failure, Menu, Pager, Section, Select, Skeleton } from '../../../ui/index.ts';
import { SearchField } from '../../../ui/listing/index.ts';
import { type CollectionTarget, toDataScreen } from '../api.ts';
import { listFields } from './columns.ts';
import type { LiveState } from './live.ts';
import { NoRecords } from './no-records.tsx';
import { IndexOffer } from './offers/index-offer.tsx';
import { SchemaOffer } from './offers/schema-offer.tsx';
import { OpenDialog, type Opened } from './open-dialog.tsx';
import { RecordFilters } from './record-filters.tsx';
import { listColumns, RecordsTable } from './records-table.tsx';
import { SelectionBar } from './selection.tsx';
import { type Records, useRecords } from './use-records.ts';
import { useSelection } from './use-selection.ts';

/** The records of a collection. */
export function RecordsScreen({ target }: { target: CollectionTarget }) {
  const records = useRecords(target);
  const { listing } = records;
  const [opened, setOpened] = useState<Opened>();
  const selection = useSelection(listing?.filter ?? {}, listing?.total ?? 0);
  return (
    <div class="full-width">
      <Section
        title={target.collection}
        back={{ href: toDataScreen(target), label: t('Collections') }}
        hint={
          target.type === 'solo_data' && t('Only your own records. Records of other visitors are private.')
        }
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
    </div>
  );
}

interface ActionsProps {
  target: CollectionTarget;
  hasRecords: boolean;
  onOpen: (opened: Opened) => void;
}

/** A row of buttons; on a phone, a menu beside the most important one. */
function Actions({ target, hasRecords, onOpen }: ActionsProps) {
  const schema = toDataScreen(target, target.collection, 'schema');
  const others = [
    { label: t('Deleted'), onSelect: () => onOpen({ kind: 'deleted' }) },
    { label: t('Import'), onSelect: () => onOpen({ kind: 'import' }) },
    { label: t('Export'), onSelect: () => onOpen({ kind: 'export' }), disabled: !hasRecords },
  ];
  return (
    <>
      <Link class="button quiet data-wide" href={schema}>
        {t('Schema')}
      </Link>
      {others.map(({ label, onSelect, disabled = false }) => (
        <span key={label} class="data-wide">
          <Button kind="quiet" onClick={onSelect} disabled={disabled}>
            {label}
          </Button>
        </span>
      ))}
      <Button onClick={() => onOpen({ kind: 'record', record: undefined })}>{t('New record')}</Button>
      <span class="data-narrow">
        <Menu
          label={t('More actions')}
          class="button quiet"
          items={[{ label: t('Schema'), href: schema }, ...others]}
        />
      </span>
    </>
  );
}

interface ListProps {
  target: CollectionTarget;
  records: Records;
  selection: ReturnType<typeof useSelection>;
  onOpen: (opened: Opened) => void;
}

/** The search, the filter, the table of records and its pages. */
function List({ target, records, selection, onOpen }: ListProps) {
  const { listing, isFiltered } = records;
  const openBulk = (kind: 'edit' | 'delete') => onOpen({ kind, selected: selection.selected });
  return (
    <>
      <SchemaOffer {...{ target, records }} />
      <IndexOffer {...{ target, records }} />
      <Contents {...{ target, records, selection, onOpen }}>
        <SelectionBar
          selected={selection.selected}
          total={listing?.total ?? 0}
          isFiltered={isFiltered}
          onSelectAll={selection.selectAll}
          onEdit={() => openBulk('edit')}
          onDelete={() => openBulk('delete')}
          onClear={selection.clear}
        />
      </Contents>
      <Foot records={records} />
    </>
  );
}

/** `children` stand between the filter and the table. */
function Contents({
  target,
  records,
  selection,
  onOpen,
  children,
}: ListProps & { children: ComponentChildren }) {
  const { place, listing, error, ask } = records;
  const controls = useLayout(`${target.pageId}.${target.type}.${target.collection}`);
  const columns = listColumns(records);
  const isWhereRefused = error !== undefined && place.where !== undefined;
  const filter = place.where === undefined ? NO_FILTER : fromWhere(place.where);
  const setFilter = (where: string | undefined) => ask({ where });
  const addCondition = (condition: Condition) =>
    filter && setFilter(toWhere({ ...filter, conditions: [...filter.conditions, condition] }));
  return (
    <>
      <div class="data-bar">
        <Search records={records} />
        <RecordFilters
          {...{ columns, controls }}
          where={place.where}
          onApply={setFilter}
          error={isWhereRefused ? error.message : undefined}
        />
        <Arrivals records={records} />
      </div>
      {children}
      {error && !isWhereRefused && <Failure error={error} retry={records.reload} />}
      {!listing && !error && <Skeleton kind="rows" lines={12} />}
      {listing && listing.records.length === 0 && (
        <NoRecords
          records={records}
          onNew={() => onOpen({ kind: 'record', record: undefined })}
          onImport={() => onOpen({ kind: 'import' })}
        />
      )}
      {listing && listing.records.length > 0 && (
        <RecordsTable
          {...{ target, records, columns, controls }}
          isSelected={selection.has}
          onSelect={selection.select}
          onFilter={filter && addCondition}
          onOpen={(record) => onOpen({ kind: 'record', record })}
        />
      )}
    </>
  );
}

/** There is nothing to search in an empty collection. */
function Search({ records: { place, listing, schema, isFiltered, ask } }: { records: Records }) {
  if (listing?.total === 0 && !isFiltered) return null;
  const fields = schema?.search ?? [];
  return (
    <SearchField
      label={fields.length > 0 ? t('Search {fields}', { fields: fields.join(', ') }) : t('Search all fields')}
      value={place.query}
      onSearch={(query) => ask({ query }, true)}
    />
  );
}

const PAGE_SIZES = ['25', '50', '100'] as const;

function Foot({ records: { place, listing, fields, ask } }: { records: Records }) {
  if (!listing) return null;
  const { hidden } = listFields(fields, undefined);
  const { limit, offset, total } = listing;
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
      {total > 0 && (
        <Pager
          {...{ offset, limit, total }}
          shown={listing.records.length}
          anyPage
          onMove={(to) => ask({ page: Math.floor(to / limit) + 1 })}
        >
          <KeyHints />
          <Select
            label={t('Records per page')}
            hideLabel
            value={String(limit)}
            options={PAGE_SIZES.map((size) => [size, t('{size} per page', { size })] as const)}
            onChange={(size) => ask({ ...place, page: 1, size: Number(size) })}
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

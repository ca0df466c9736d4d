import { useState } from 'preact/hooks';
import { Link } from '../../../router.tsx';
import { me } from '../../../session.ts';
import {
  Badge,
  Button,
  Empty,
  Failure,
  Pager,
  plural,
  Section,
  Select,
  Skeleton,
} from '../../../ui/index.ts';
import { type CollectionPlace, type Data, type DataRecord, type FieldSchema, screenOf } from '../api.ts';
import { fieldsOf } from './columns.ts';
import { DeleteSelected } from './delete-selected.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { Filters } from './filters.tsx';
import { ImportDialog } from './import-dialog.tsx';
import type { LiveState } from './live.ts';
import { RecordDialog } from './record-dialog.tsx';
import { RecordsTable } from './table.tsx';
import { type Records, useRecords } from './use-records.ts';

const PAGE_SIZES = [25, 50, 100].map((size) => [String(size), `${size} per page`] as const);

type Opened =
  | { kind: 'record'; record: DataRecord | undefined }
  | { kind: 'delete'; ids: string[] }
  | { kind: 'export' }
  | { kind: 'import' };

/** The records of a collection. */
export function RecordsScreen({ place }: { place: CollectionPlace }) {
  const records = useRecords(place);
  const { query, listing, error } = records;
  const [opened, setOpened] = useState<Opened>();
  const [isFiltering, setFiltering] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isWhereRefused = error !== undefined && query.where !== undefined;
  const openNew = () => setOpened({ kind: 'record', record: undefined });
  return (
    <Section
      title={place.collection}
      hint={
        <>
          <Link href={screenOf(place)}>Collections</Link>
          {place.type === 'solo-data' && ' · only your own records. Records of other visitors are private.'}
        </>
      }
      actions={<Actions place={place} hasRecords={Boolean(listing?.total)} onOpen={setOpened} />}
    >
      <div class="data-bar">
        <FilterButton isOn={query.where !== undefined} isOpen={isFiltering} onToggle={setFiltering} />
        <Selection
          ids={[...selected]}
          onDelete={(ids) => setOpened({ kind: 'delete', ids })}
          onClear={() => setSelected(new Set())}
        />
        {records.unseen > 0 && (
          <Button kind="bare" onClick={records.reload}>
            Show {plural(records.unseen, 'new record')}
          </Button>
        )}
        <LiveMark state={records.live} />
      </div>
      {isFiltering && (
        <Filters
          fields={fieldsOf(listing?.records ?? [], records.schema).all}
          where={query.where}
          onApply={records.filter}
          error={isWhereRefused ? error.message : undefined}
        />
      )}
      {error && !isWhereRefused && <Failure error={error} retry={records.reload} />}
      {!listing && !error && <Skeleton lines={10} />}
      {listing && listing.records.length === 0 && (
        <NoRecords isFiltered={query.where !== undefined} onNew={openNew} />
      )}
      <List {...{ place, records, selected, setSelected }} onOpen={setOpened} />
      <OpenDialog
        {...{ place, records, opened, setOpened }}
        onDeleted={() => {
          setSelected(new Set());
          setOpened(undefined);
          void records.reload();
        }}
      />
    </Section>
  );
}

interface FilterButtonProps {
  isOn: boolean;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}

function FilterButton({ isOn, isOpen, onToggle }: FilterButtonProps) {
  return (
    <button type="button" class="button quiet" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
      {isOn ? 'Filter (on)' : 'Filter'}
    </button>
  );
}

interface ActionsProps {
  place: CollectionPlace;
  hasRecords: boolean;
  onOpen: (opened: Opened) => void;
}

function Actions({ place, hasRecords, onOpen }: ActionsProps) {
  return (
    <>
      <Link class="button quiet" href={screenOf(place, place.collection, 'schema')}>
        Schema
      </Link>
      <Button kind="quiet" onClick={() => onOpen({ kind: 'import' })}>
        Import
      </Button>
      <Button kind="quiet" onClick={() => onOpen({ kind: 'export' })} disabled={!hasRecords}>
        Export
      </Button>
      <Button onClick={() => onOpen({ kind: 'record', record: undefined })}>New record</Button>
    </>
  );
}

interface SelectionProps {
  ids: string[];
  onDelete: (ids: string[]) => void;
  onClear: () => void;
}

function Selection({ ids, onDelete, onClear }: SelectionProps) {
  if (ids.length === 0) return null;
  return (
    <>
      <span>{plural(ids.length, 'record')} selected</span>
      <Button kind="danger" onClick={() => onDelete(ids)}>
        Delete selected
      </Button>
      <Button kind="bare" onClick={onClear}>
        Clear selection
      </Button>
    </>
  );
}

interface ListProps {
  place: CollectionPlace;
  records: Records;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  onOpen: (opened: Opened) => void;
}

/** The table of records and its pager. */
function List({ place, records, selected, setSelected, onOpen }: ListProps) {
  const { query, listing, schema } = records;
  if (!listing) return null;
  const { fields, hidden } = fieldsOf(listing.records, schema);
  const select = (ids: string[], isSelected: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isSelected ? next.add(id) : next.delete(id);
    setSelected(next);
  };
  return (
    <>
      {listing.records.length > 0 && (
        <RecordsTable
          caption={`Records of ${place.collection}`}
          records={listing.records}
          fields={fields}
          sort={query}
          onSort={records.sort}
          selected={selected}
          onSelect={select}
          fresh={records.fresh}
          onOpen={(record) => onOpen({ kind: 'record', record })}
          isBusy={records.isLoading}
        />
      )}
      {hidden > 0 && (
        <p class="hint">
          {plural(hidden, 'more field')} without a column. Open a record to see all of its fields.
        </p>
      )}
      {(listing.total > 0 || query.offset > 0) && (
        <Pager
          {...query}
          shown={listing.records.length}
          total={listing.total}
          onMove={(offset) => records.move({ limit: query.limit, offset })}
        >
          <Select
            label="Records per page"
            hideLabel
            value={String(query.limit)}
            options={PAGE_SIZES}
            onChange={(size) => records.move({ limit: Number(size), offset: 0 })}
          />
        </Pager>
      )}
    </>
  );
}

interface OpenDialogProps {
  place: CollectionPlace;
  records: Records;
  opened: Opened | undefined;
  setOpened: (opened: Opened | undefined) => void;
  onDeleted: () => void;
}

/** The dialog that is open, if any. */
function OpenDialog({ place, records, opened, setOpened, onDeleted }: OpenDialogProps) {
  const onClose = () => setOpened(undefined);
  if (opened?.kind === 'record')
    return (
      <RecordDialog
        place={place}
        record={opened.record}
        template={templateOf(records.schema?.fields ?? {})}
        readOnly={opened.record && whyReadOnly(place, opened.record)}
        onSaved={(saved) => {
          onClose();
          void records.show(saved, opened.record === undefined);
        }}
        onDelete={() => opened.record && setOpened({ kind: 'delete', ids: [opened.record.id] })}
        onClose={onClose}
      />
    );
  if (opened?.kind === 'delete')
    return <DeleteSelected place={place} ids={opened.ids} onDone={onDeleted} onClose={onClose} />;
  if (opened?.kind === 'export')
    return (
      <ExportDialog
        place={place}
        where={records.query.where}
        total={records.listing?.total ?? 0}
        onClose={onClose}
      />
    );
  if (opened?.kind === 'import')
    return <ImportDialog place={place} onDone={records.reload} onClose={onClose} />;
  return null;
}

function LiveMark({ state }: { state: LiveState }) {
  const words = { live: 'Live', connecting: 'Connecting…', off: 'Not live' }[state];
  return (
    <span class="data-live" role="status" title="Whether changes by other people appear automatically">
      <Badge kind={state === 'live' ? 'good' : 'plain'}>{words}</Badge>
    </span>
  );
}

function NoRecords({ isFiltered, onNew }: { isFiltered: boolean; onNew: () => void }) {
  if (isFiltered) return <Empty title="No records found">No record matches the filter.</Empty>;
  return (
    <Empty
      title="No records yet"
      action={
        <Button kind="quiet" onClick={onNew}>
          Add a record
        </Button>
      }
    >
      Records appear here when visitors of the page save them.
    </Empty>
  );
}

function whyReadOnly({ type }: CollectionPlace, { createdBy }: DataRecord): string | undefined {
  if (type !== 'social-data' || createdBy?.id === me.value?.id) return undefined;
  return `Only the author, ${createdBy?.username}, can edit this record. As the owner of the page, you can delete it.`;
}

/** The initial data of a new record: the fields that the schema requires. */
function templateOf(fields: Record<string, FieldSchema>): Data {
  const required = Object.entries(fields).filter(([, { required }]) => required);
  return Object.fromEntries(required.map(([name, field]) => [name, blankOf(field)]));
}

function blankOf(field: FieldSchema): unknown {
  const blanks = { string: '', number: 0, boolean: false, array: [], object: {} };
  if (field.type === 'enum') return field.values[0] ?? '';
  return field.type === 'date' ? new Date().toISOString().slice(0, 10) : blanks[field.type];
}

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
import { useRecords } from './use-records.ts';

const PAGE_SIZES = [25, 50, 100].map((size) => [String(size), `${size} a page`] as const);

type Opened =
  | { kind: 'record'; record: DataRecord | undefined }
  | { kind: 'delete'; ids: string[] }
  | { kind: 'export' }
  | { kind: 'import' };

/** The records of a collection. */
export function RecordsScreen({ place }: { place: CollectionPlace }) {
  const records = useRecords(place);
  const { query, listing, schema, error } = records;
  const [opened, setOpened] = useState<Opened>();
  const [isFiltering, setFiltering] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const close = () => setOpened(undefined);
  const { fields, hidden, all } = fieldsOf(listing?.records ?? [], schema);
  const isWhereRefused = error !== undefined && query.where !== undefined;

  const select = (ids: string[], isSelected: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isSelected ? next.add(id) : next.delete(id);
    setSelected(next);
  };
  const afterDelete = () => {
    setSelected(new Set());
    close();
    void records.reload();
  };
  return (
    <Section
      title={place.collection}
      hint={
        <>
          <Link href={screenOf(place)}>Collections</Link>
          {place.type === 'solo-data' && ' · only your own records; other visitors’ are theirs alone'}
        </>
      }
      actions={
        <>
          <Link class="button quiet" href={screenOf(place, place.collection, 'schema')}>
            Schema
          </Link>
          <Button kind="quiet" onClick={() => setOpened({ kind: 'import' })}>
            Import
          </Button>
          <Button kind="quiet" onClick={() => setOpened({ kind: 'export' })} disabled={!listing?.total}>
            Export
          </Button>
          <Button onClick={() => setOpened({ kind: 'record', record: undefined })}>New record</Button>
        </>
      }
    >
      <div class="data-bar">
        <button
          type="button"
          class="button quiet"
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        >
          {query.where ? 'Filter (on)' : 'Filter'}
        </button>
        {selected.size > 0 && (
          <>
            <span>{plural(selected.size, 'record')} selected</span>
            <Button kind="danger" onClick={() => setOpened({ kind: 'delete', ids: [...selected] })}>
              Delete selected
            </Button>
            <Button kind="bare" onClick={() => setSelected(new Set())}>
              Clear selection
            </Button>
          </>
        )}
        {records.unseen > 0 && (
          <Button kind="bare" onClick={records.reload}>
            {plural(records.unseen, 'new record')} · show
          </Button>
        )}
        <LiveMark state={records.live} />
      </div>
      {isFiltering && (
        <Filters
          fields={all}
          where={query.where}
          onApply={records.filter}
          error={isWhereRefused ? error.message : undefined}
        />
      )}
      {error && !isWhereRefused && <Failure error={error} retry={records.reload} />}
      {!listing && !error && <Skeleton lines={10} />}
      {listing && listing.records.length === 0 && (
        <NoRecords
          isFiltered={query.where !== undefined}
          onNew={() => setOpened({ kind: 'record', record: undefined })}
        />
      )}
      {listing && listing.records.length > 0 && (
        <RecordsTable
          caption={`Records of ${place.collection}`}
          records={listing.records}
          fields={fields}
          sort={query}
          onSort={records.sort}
          selected={selected}
          onSelect={select}
          fresh={records.fresh}
          onOpen={(record) => setOpened({ kind: 'record', record })}
          isBusy={records.isLoading}
        />
      )}
      {hidden > 0 && (
        <p class="hint">{plural(hidden, 'more field')} without a column; open a record to see all.</p>
      )}
      {listing && (listing.total > 0 || query.offset > 0) && (
        <Pager
          {...query}
          shown={listing.records.length}
          total={listing.total}
          onMove={(offset) => records.move({ limit: query.limit, offset })}
        >
          <Select
            label="Records a page"
            hideLabel
            value={String(query.limit)}
            options={PAGE_SIZES}
            onChange={(size) => records.move({ limit: Number(size), offset: 0 })}
          />
        </Pager>
      )}

      {opened?.kind === 'record' && (
        <RecordDialog
          place={place}
          record={opened.record}
          template={templateOf(schema?.fields ?? {})}
          readOnly={opened.record && whyReadOnly(place, opened.record)}
          onSaved={(saved) => {
            close();
            records.show(saved, opened.record === undefined);
          }}
          onDelete={() => opened.record && setOpened({ kind: 'delete', ids: [opened.record.id] })}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <DeleteSelected place={place} ids={opened.ids} onDone={afterDelete} onClose={close} />
      )}
      {opened?.kind === 'export' && (
        <ExportDialog place={place} where={query.where} total={listing?.total ?? 0} onClose={close} />
      )}
      {opened?.kind === 'import' && <ImportDialog place={place} onDone={records.reload} onClose={close} />}
    </Section>
  );
}

function LiveMark({ state }: { state: LiveState }) {
  const words = { live: 'Live', connecting: 'Connecting', off: 'Not live' }[state];
  return (
    <span class="data-live" role="status" title="Whether changes by others appear here by themselves">
      <Badge kind={state === 'live' ? 'good' : 'plain'}>{words}</Badge>
    </span>
  );
}

function NoRecords({ isFiltered, onNew }: { isFiltered: boolean; onNew: () => void }) {
  if (isFiltered) return <Empty title="Nothing matches">No record fits these conditions.</Empty>;
  return (
    <Empty
      title="No records yet"
      action={
        <Button kind="quiet" onClick={onNew}>
          Add the first one
        </Button>
      }
    >
      What the page’s visitors save appears here by itself.
    </Empty>
  );
}

function whyReadOnly({ type }: CollectionPlace, { createdBy }: DataRecord): string | undefined {
  if (type !== 'social-data' || createdBy?.id === me.value?.id) return undefined;
  return `Only ${createdBy?.username} may change this record. As the page’s owner you may delete it.`;
}

/** What a new record begins with: the fields that the schema asks for. */
function templateOf(fields: Record<string, FieldSchema>): Data {
  const required = Object.entries(fields).filter(([, { required }]) => required);
  return Object.fromEntries(required.map(([name, field]) => [name, blankOf(field)]));
}

function blankOf({ type, values }: FieldSchema): unknown {
  const blanks = { string: '', number: 0, boolean: false, array: [], object: {} };
  if (type === 'enum') return values?.[0] ?? '';
  return type === 'date' ? new Date().toISOString().slice(0, 10) : blanks[type];
}

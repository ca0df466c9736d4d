import type { CollectionTarget, Data, DataRecord, FieldSchema } from '../api.ts';
import { whyReadOnly } from './access.ts';
import { DeleteDialog } from './bulk/delete-dialog.tsx';
import { EditDialog } from './bulk/edit-dialog.tsx';
import type { Selected } from './bulk/run-bulk.ts';
import { makeDrafts } from './form/field-drafts.ts';
import { RecordDialog } from './form/record-dialog.tsx';
import { DeletedDialog } from './past/deleted-dialog.tsx';
import { HistoryDialog } from './past/history-dialog.tsx';
import { ExportDialog } from './transfer/export-dialog.tsx';
import { ImportDialog } from './transfer/import-dialog.tsx';
import type { Records } from './use-records.ts';

export type Opened =
  | { kind: 'record'; record: DataRecord | undefined }
  | { kind: 'delete' | 'edit'; selected: Selected }
  | { kind: 'history'; record: DataRecord; isDeleted: boolean }
  | { kind: 'deleted' }
  | { kind: 'export' }
  | { kind: 'import' };

interface Props {
  target: CollectionTarget;
  records: Records;
  opened: Opened | undefined;
  setOpened: (opened: Opened | undefined) => void;
  /** Called after records were changed or deleted together. */
  onBulkDone: () => void;
}

/** The dialog that is open, if any. */
export function OpenDialog({ target, records, opened, setOpened, onBulkDone }: Props) {
  const onClose = () => setOpened(undefined);
  const { schema, listing } = records;
  const known = knownFields(listing?.records ?? []);
  switch (opened?.kind) {
    case 'record':
      return (
        <RecordDialog
          {...{ target, schema, known, onClose }}
          record={opened.record}
          template={makeTemplate(schema?.fields ?? {})}
          readOnly={opened.record && whyReadOnly(target, opened.record)}
          onSaved={(saved) => {
            onClose();
            void records.show(saved, opened.record === undefined);
          }}
          onDelete={() =>
            opened.record && setOpened({ kind: 'delete', selected: { kind: 'ids', ids: [opened.record.id] } })
          }
          onHistory={() =>
            opened.record && setOpened({ kind: 'history', record: opened.record, isDeleted: false })
          }
        />
      );
    case 'delete':
      return <DeleteDialog {...{ target, onClose }} selected={opened.selected} onDone={onBulkDone} />;
    case 'edit':
      return (
        <EditDialog
          {...{ target, onClose }}
          selected={opened.selected}
          fields={makeDrafts({}, schema, known)}
          onDone={onBulkDone}
        />
      );
    case 'history':
    case 'deleted':
      return <Past {...{ target, records, opened, setOpened, onClose }} />;
    case 'export':
      return (
        <ExportDialog {...{ target, onClose }} filter={listing?.filter ?? {}} total={listing?.total ?? 0} />
      );
    case 'import':
      return <ImportDialog {...{ target, schema, onClose }} onDone={records.reload} />;
    default:
      return null;
  }
}

interface PastProps extends Pick<Props, 'target' | 'records' | 'setOpened'> {
  opened: Extract<Opened, { kind: 'history' | 'deleted' }>;
  onClose: () => void;
}

/** What a record was, or the records that were deleted. */
function Past({ target, records, opened, setOpened, onClose }: PastProps) {
  if (opened.kind === 'deleted')
    return (
      <DeletedDialog
        {...{ target, onClose }}
        onRestored={() => void records.reload()}
        onHistory={(record) => setOpened({ kind: 'history', record, isDeleted: true })}
      />
    );
  const { record, isDeleted } = opened;
  return (
    <HistoryDialog
      {...{ target, record, isDeleted, onClose }}
      readOnly={isDeleted ? undefined : whyReadOnly(target, record)}
      onRestored={(restored) => {
        onClose();
        void records.show(restored, isDeleted);
      }}
    />
  );
}

/** A form for more would not be usable. */
const MAX_FIELDS = 30;

/** The fields of the records that are shown, each with a value that tells its type. */
function knownFields(records: DataRecord[]): Data {
  const names = [...new Set(records.flatMap(({ data }) => Object.keys(data)))].slice(0, MAX_FIELDS);
  const examples = names.map((name) => {
    const having = records.find(({ data }) => data[name] !== undefined && data[name] !== null);
    return [name, having?.data[name] ?? null] as const;
  });
  return Object.fromEntries(examples);
}

/** The initial JSON of a new record: the fields that the schema requires. */
function makeTemplate(fields: Record<string, FieldSchema>): Data {
  const required = Object.entries(fields).filter(([, field]) => field.required);
  return Object.fromEntries(required.map(([name, field]) => [name, makeBlank(field)]));
}

function makeBlank(field: FieldSchema): unknown {
  const blanks = { string: '', number: 0, boolean: false, array: [], object: {} };
  if (field.type === 'enum') return field.values[0] ?? '';
  return field.type === 'date' ? new Date().toISOString().slice(0, 10) : blanks[field.type];
}

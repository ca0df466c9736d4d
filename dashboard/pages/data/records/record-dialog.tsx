import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import { CodeEditor, type Editor } from '../../../editor/index.tsx';
import { useLeavingGuard } from '../../../router.tsx';
import { Button, Copyable, Dialog, formatMoment, say } from '../../../ui/index.ts';
import {
  type CollectionPlace,
  changeRecord,
  createRecord,
  type Data,
  type DataRecord,
  isObject,
} from '../api.ts';
import { faultsAt, parseJson } from '../json-text.ts';

interface Props {
  place: CollectionPlace;
  /** Undefined for a new record. */
  record: DataRecord | undefined;
  /** The initial data of a new record. */
  template: Data;
  /** Why the user cannot edit this record. */
  readOnly?: string | undefined;
  onSaved: (record: DataRecord) => void;
  onDelete: () => void;
  onClose: () => void;
}

/** Shows, edits or creates a record as JSON. */
export function RecordDialog({ place, record, template, readOnly, onSaved, onDelete, onClose }: Props) {
  const before = useRef(JSON.stringify(record?.data ?? template, null, 2)).current;
  const [text, setText] = useState(before);
  const [failure, setFailure] = useState<ApiError | Error>();
  const editor = useRef<Editor>(undefined);
  const isChanged = useLeavingGuard(text !== before);

  const close = () => {
    if (!isChanged.current || confirm('This record has unsaved changes. Close it and discard them?'))
      onClose();
  };
  const refuse = (error: Error, faults: Parameters<Editor['showFaults']>[0]) => {
    setFailure(error);
    editor.current?.showFaults(faults);
  };
  const save = async () => {
    setFailure(undefined);
    const { value, fault } = parseJson(text);
    if (fault) return refuse(new Error(`This is not valid JSON: ${fault.message}.`), [fault]);
    if (!isObject(value)) return refuse(new Error('A record must be a JSON object: { … }.'), []);
    try {
      const change = record ? changedFields(record.data, value) : value;
      if (record && Object.keys(change).length === 0) return say('No changes to save.');
      const saved = record ? await changeRecord(place, record.id, change) : await createRecord(place, change);
      isChanged.current = false;
      say(record ? 'Record saved.' : 'Record created.');
      onSaved(saved);
    } catch (error) {
      refuse(error as Error, error instanceof ApiError ? faultsAt(text, error.details, 'data') : []);
    }
  };
  return (
    <Dialog title={record ? 'Record' : `New record in ${place.collection}`} wide onClose={close}>
      <div class="data-record">
        {record && <About record={record} />}
        {readOnly && <p class="hint">{readOnly}</p>}
        <CodeEditor
          text={before}
          language="json"
          label="Record as JSON"
          isReadOnly={readOnly !== undefined}
          onChange={setText}
          onSave={save}
          onReady={(ready) => {
            editor.current = ready;
          }}
        />
        {failure && <Failed failure={failure} />}
        {record && !readOnly && <SavingHint kept={droppedFields(record.data, text)} />}
        <Actions {...{ record, readOnly, onDelete }} onSave={save} onClose={close} />
      </div>
    </Dialog>
  );
}

interface ActionsProps extends Pick<Props, 'record' | 'readOnly' | 'onDelete' | 'onClose'> {
  onSave: () => Promise<void>;
}

function Actions({ record, readOnly, onSave, onDelete, onClose }: ActionsProps) {
  return (
    <div class="actions">
      {!readOnly && <Button onClick={onSave}>{record ? 'Save' : 'Create'}</Button>}
      <Button kind="quiet" onClick={onClose}>
        {readOnly ? 'Close' : 'Cancel'}
      </Button>
      {record && (
        <Button kind="danger" class="data-apart" onClick={onDelete}>
          Delete
        </Button>
      )}
    </div>
  );
}

/** `kept` are the fields that the text no longer contains. */
function SavingHint({ kept }: { kept: string[] }) {
  return (
    <>
      {kept.length > 0 && (
        <p class="hint">
          These fields stay in the record although you removed them: <code>{kept.join(', ')}</code>. To clear
          a field, set it to <code>null</code>.
        </p>
      )}
      <p class="hint">Saving changes only the top-level fields that you edited.</p>
    </>
  );
}

function About({ record: { id, createdAt, updatedAt, createdBy } }: { record: DataRecord }) {
  return (
    <p class="hint data-about">
      <Copyable text={id} label="ID" />
      <span>
        Created {formatMoment(createdAt)}
        {createdBy && <> by {createdBy.username}</>}, updated {formatMoment(updatedAt)}
      </span>
    </p>
  );
}

function Failed({ failure }: { failure: Error }) {
  const details = failure instanceof ApiError ? failure.details : [];
  return (
    <div class="notice bad" role="alert">
      {details.length === 0 ? (
        <p>{failure.message}</p>
      ) : (
        <ul class="data-faults">
          {details.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path.replace(/^data\./, '')}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Only changed fields are sent, so that changes by others are kept. */
function changedFields(before: Data, after: Data): Data {
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name)));
}

function droppedFields(before: Data, text: string): string[] {
  const { value } = parseJson(text);
  if (!isObject(value)) return [];
  return Object.keys(before).filter((name) => !Object.hasOwn(value, name));
}

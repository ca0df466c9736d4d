import { useState } from 'preact/hooks';
import { ApiError } from '../../../../api.ts';
import { CodeEditor } from '../../../../editor/index.tsx';
import { t } from '../../../../texts/index.ts';
import { Ask, Button, Choice, Copyable, Dialog, formatMoment } from '../../../../ui/index.ts';
import type { DataRecord } from '../../api.ts';
import { RecordForm } from './record-form.tsx';
import { type RecordDialogProps, type RecordEditing, useRecordEditing } from './use-record-editing.ts';

/** Shows, edits or creates a record, as a form or as JSON. */
export function RecordDialog(props: RecordDialogProps) {
  const { target, record, schema, readOnly, onDelete, onHistory, onClose } = props;
  const editing = useRecordEditing(props);
  const [isAsking, setAsking] = useState(false);
  const close = () => (editing.hasChanges() ? setAsking(true) : onClose());
  const title = record ? t('Record') : t('New record in {collection}', { collection: target.collection });
  return (
    <Dialog title={title} wide onClose={close}>
      <div class="data-record">
        {record && <About record={record} />}
        {readOnly ? (
          <p class="hint">{readOnly}</p>
        ) : (
          <Choice
            label={t('Edit as')}
            value={editing.view}
            options={[
              ['form', t('Form')],
              ['json', 'JSON'],
            ]}
            onChoose={editing.switchTo}
          />
        )}
        {editing.view === 'form' ? (
          <RecordForm
            drafts={editing.drafts}
            faults={editing.faults}
            canAdd={!schema?.strict}
            onChange={editing.changeForm}
          />
        ) : (
          <JsonView editing={editing} isReadOnly={readOnly !== undefined} />
        )}
        {editing.failure && <Failed failure={editing.failure} isShort={editing.view === 'form'} />}
        <Actions {...{ record, readOnly, onDelete, onHistory }} onSave={editing.save} onClose={close} />
      </div>
      {isAsking && (
        <Ask
          title={t('Discard your changes?')}
          submit={t('Discard')}
          cancel={t('Keep editing')}
          onConfirm={() => {
            editing.discard();
            onClose();
          }}
          onClose={() => setAsking(false)}
        >
          {t('Your changes to this record are not saved.')}
        </Ask>
      )}
    </Dialog>
  );
}

function JsonView({ editing, isReadOnly }: { editing: RecordEditing; isReadOnly: boolean }) {
  return (
    <CodeEditor
      text={editing.text}
      language="json"
      label={t('Record as JSON')}
      isReadOnly={isReadOnly}
      onChange={editing.changeText}
      onSave={editing.save}
      onReady={editing.attach}
    />
  );
}

interface ActionsProps
  extends Pick<RecordDialogProps, 'record' | 'readOnly' | 'onDelete' | 'onHistory' | 'onClose'> {
  onSave: () => Promise<void>;
}

function Actions({ record, readOnly, onSave, onDelete, onHistory, onClose }: ActionsProps) {
  return (
    <div class="actions">
      {!readOnly && <Button onClick={onSave}>{record ? t('Save') : t('Create')}</Button>}
      <Button kind="quiet" onClick={onClose}>
        {readOnly ? t('Close') : t('Cancel')}
      </Button>
      {record && (
        <Button kind="quiet" class="data-apart" onClick={onHistory}>
          {t('History')}
        </Button>
      )}
      {record && (
        <Button kind="danger" onClick={onDelete}>
          {t('Delete')}
        </Button>
      )}
    </div>
  );
}

function About({ record: { id, createdAt, updatedAt, createdBy } }: { record: DataRecord }) {
  const created = formatMoment(createdAt);
  const updated = formatMoment(updatedAt);
  return (
    <p class="hint data-about">
      <Copyable text={id} label={t('ID')} />
      <span>
        {createdBy
          ? t('Created {created} by {name}, updated {updated}', {
              created,
              updated,
              name: createdBy.username,
            })
          : t('Created {created}, updated {updated}', { created, updated })}
      </span>
    </p>
  );
}

/** In a form the errors are at their fields, so only their number is said here. */
function Failed({ failure, isShort }: { failure: Error; isShort: boolean }) {
  const details = failure instanceof ApiError && !isShort ? failure.details : [];
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

import { t } from '../../../../texts/index.ts';
import { Button, Dialog, Field, Form, Progress } from '../../../../ui/index.ts';
import type { CollectionSchema, CollectionTarget } from '../../api.ts';
import { CsvColumns } from './csv-columns-form.tsx';
import type { RefusedLine } from './import.ts';
import { Preview } from './preview.tsx';
import { useImport } from './use-import.ts';

const MAX_SHOWN = 200;

interface Props {
  target: CollectionTarget;
  schema: CollectionSchema | null;
  onDone: () => void;
  onClose: () => void;
}

/** Imports records from a file: shows what it contains, then adds it, then lists the lines that were refused. */
export function ImportDialog({ target, schema, onDone, onClose }: Props) {
  const importing = useImport(target, schema, onDone);
  const { file, csv, done, refused, outcome } = importing;
  const count = file?.lines.length ?? 0;
  const isRunning = done !== undefined;
  return (
    <Dialog
      title={t('Import into {collection}', { collection: target.collection })}
      wide
      onClose={isRunning ? importing.cancel : onClose}
    >
      <Form
        submit={count ? t('{count|Add 1 record|Add {count} records}', { count }) : t('Add records')}
        disabled={count === 0}
        onSubmit={importing.add}
        aside={
          <Button kind="quiet" onClick={isRunning ? importing.cancel : onClose}>
            {outcome ? t('Close') : t('Cancel')}
          </Button>
        }
      >
        <FileField onChoose={importing.choose} />
        {isRunning && <Progress label={t('Adding')} done={done} total={count} />}
        {outcome && (
          <p class="notice" role="status">
            {outcome}
          </p>
        )}
        {csv && !isRunning && <CsvColumns columns={csv.columns} onChange={importing.map} />}
        {file && !isRunning && <Preview lines={file.lines} />}
        <Refused refused={refused} />
      </Form>
    </Dialog>
  );
}

function FileField({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  return (
    <Field
      label={t('File')}
      hint={t(
        'CSV with a line of titles, NDJSON, or a JSON array, for example an export of another collection. Records get new ids, and you become their author.',
      )}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json,text/csv,application/json,application/x-ndjson"
          onChange={(event) => onChoose(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

function Refused({ refused }: { refused: RefusedLine[] }) {
  const count = refused.length;
  if (count === 0) return null;
  return (
    <section class="data-refused" aria-label={t('Refused lines')}>
      <h3>{t('{count|1 line refused|{count} lines refused}', { count })}</h3>
      <ul>
        {refused.slice(0, MAX_SHOWN).map(({ number, reason }) => (
          <li key={number}>
            <strong>{t('Line {number}', { number })}</strong> {reason}
          </li>
        ))}
      </ul>
      {count > MAX_SHOWN && (
        <p class="hint">{t('Only the first {count} are shown.', { count: MAX_SHOWN })}</p>
      )}
    </section>
  );
}

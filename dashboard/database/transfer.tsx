import { useState } from 'preact/hooks';
import { IMPORT_BODY_LIMIT } from '../../contract/rules/limits.ts';
import { t } from '../texts/index.ts';
import {
  Button,
  Dialog,
  Failure,
  Field,
  Form,
  formatBytes,
  Progress,
  Section,
  Switch,
  say,
} from '../ui/index.ts';
import { importScript } from './api.ts';
import { downloadExport } from './export.ts';
import { dropStatements, listTables, type TableInfo } from './sqlite.ts';

/** Exports the database as a SQL script, and imports one. */
export function TransferView({ slug }: { slug: string }) {
  return (
    <>
      <ExportSection slug={slug} />
      <ImportSection slug={slug} />
    </>
  );
}

function ExportSection({ slug }: { slug: string }) {
  const [bytes, setBytes] = useState<number>();
  const [failure, setFailure] = useState<Error>();
  const run = async () => {
    setFailure(undefined);
    setBytes(0);
    try {
      const size = await downloadExport(slug, setBytes);
      say(t('Downloaded {file} ({size}).', { file: `${slug}.sql`, size: formatBytes(size) }));
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBytes(undefined);
    }
  };
  return (
    <Section
      title={t('Export')}
      hint={t(
        'Downloads the whole database as a SQL script. It is a consistent snapshot, even if functions write to the database during the export. Import it into an empty database to get a copy.',
      )}
    >
      <Button kind="quiet" onClick={run}>
        {t('Export as .sql')}
      </Button>
      {bytes !== undefined && (
        <Progress label={t('Export')} note={t('{size} so far', { size: formatBytes(bytes) })} />
      )}
      {failure && <Failure error={failure} />}
    </Section>
  );
}

function ImportSection({ slug }: { slug: string }) {
  const [file, setFile] = useState<File>();
  const [message, setMessage] = useState<string>();
  const [asking, setAsking] = useState<{ file: File; tables: TableInfo[] }>();
  const isTooLarge = file !== undefined && file.size > IMPORT_BODY_LIMIT;
  const ask = async () => {
    if (file) setAsking({ file, tables: await listTables(slug, AbortSignal.timeout(60_000)) });
  };
  return (
    <Section
      title={t('Import')}
      hint={t(
        'Runs a SQL script in one transaction. If a statement fails, nothing changes. Accepts scripts from Export and from .dump of sqlite3, up to {size}.',
        { size: formatBytes(IMPORT_BODY_LIMIT) },
      )}
    >
      <div class="fn-import">
        <ScriptField
          file={file}
          isTooLarge={isTooLarge}
          onChoose={(chosen) => {
            setMessage(undefined);
            setFile(chosen);
          }}
        />
        <Button kind="quiet" onClick={ask} disabled={!file || isTooLarge}>
          {t('Import…')}
        </Button>
      </div>
      {message && (
        <div class="notice good" role="status">
          <p>{message}</p>
        </div>
      )}
      {asking && (
        <ImportDialog
          slug={slug}
          {...asking}
          onClose={() => setAsking(undefined)}
          onDone={(words) => {
            setAsking(undefined);
            setMessage(words);
          }}
        />
      )}
    </Section>
  );
}

interface ScriptFieldProps {
  file: File | undefined;
  isTooLarge: boolean;
  onChoose: (file: File | undefined) => void;
}

function ScriptField({ file, isTooLarge, onChoose }: ScriptFieldProps) {
  const excess = formatBytes((file?.size ?? 0) - IMPORT_BODY_LIMIT);
  const fault = t('The file is {excess} larger than the limit of {limit}.', {
    excess,
    limit: formatBytes(IMPORT_BODY_LIMIT),
  });
  return (
    <Field label={t('Script')} error={isTooLarge ? fault : undefined}>
      {(attributes) => (
        <div class="fn-file">
          <input
            {...attributes}
            type="file"
            accept=".sql,application/sql,text/plain"
            onChange={(event) => onChoose((event.target as HTMLInputElement).files?.[0])}
          />
          <label for={attributes.id} class="button quiet">
            {t('Choose file')}
          </label>
          <span class={file ? '' : 'faint'}>{file?.name ?? t('No file chosen')}</span>
        </div>
      )}
    </Field>
  );
}

interface DialogProps {
  slug: string;
  file: File;
  tables: TableInfo[];
  onClose: () => void;
  onDone: (message: string) => void;
}

/** Says what happens to the existing tables, and imports. */
function ImportDialog({ slug, file, tables, onClose, onDone }: DialogProps) {
  const [isReplacing, setReplacing] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    setRunning(true);
    try {
      const script = isReplacing ? new Blob([dropStatements(tables), file]) : file;
      const { changes } = await importScript(slug, script);
      onDone(t('The script ran: {count|{count} row|{count} rows} changed.', { count: changes }));
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog title={t('Import {name}?', { name: file.name })} onClose={onClose}>
      <p>
        {t('The script has {size}.', { size: formatBytes(file.size) })}{' '}
        {tables.length === 0
          ? t('The database is empty.')
          : t(
              'The database has {count|{count} table|{count} tables}: {names}. The script adds to them. If it creates a table that already exists, the import fails.',
              { count: tables.length, names: listNames(tables) },
            )}
      </p>
      <Form
        submit={isReplacing ? t('Delete tables and import') : t('Import')}
        onSubmit={run}
        aside={
          <Button kind="quiet" onClick={onClose} disabled={isRunning}>
            {t('Cancel')}
          </Button>
        }
      >
        {tables.length > 0 && (
          <Switch
            label={t('Delete the existing tables first')}
            hint={t('Deletes the tables and all their rows permanently. If the script fails, they stay.')}
            checked={isReplacing}
            onChange={setReplacing}
            disabled={isRunning}
          />
        )}
        {isRunning && <Progress label={t('Import')} note={t('Sending and running…')} />}
      </Form>
    </Dialog>
  );
}

const NAMED = 8;

function listNames(tables: TableInfo[]): string {
  const names = tables.slice(0, NAMED).map(({ name }) => name);
  return tables.length > NAMED ? t('{names} and others', { names: names.join(', ') }) : names.join(', ');
}

import { useState } from 'preact/hooks';
import {
  Button,
  Dialog,
  Failure,
  Field,
  Form,
  formatBytes,
  Progress,
  plural,
  Section,
  Switch,
  say,
} from '../../ui/index.ts';
import { importScript } from '../api.ts';
import { downloadExport } from './export.ts';
import { dropStatements, listTables, type TableInfo } from './sqlite.ts';

/** The service reads no more. */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;

/** A database out as a script of SQL, and a script in. */
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
      say(`${slug}.sql is downloaded, ${formatBytes(size)}.`);
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBytes(undefined);
    }
  };
  return (
    <Section
      title="Export"
      hint="The whole database as SQL text, as it is at one moment, while functions go on writing. An import of it into an empty database makes an equal one."
    >
      <Button kind="quiet" onClick={run}>
        Export as .sql
      </Button>
      {bytes !== undefined && <Progress label="Export" note={`${formatBytes(bytes)} so far`} />}
      {failure && <Failure error={failure} />}
    </Section>
  );
}

function ImportSection({ slug }: { slug: string }) {
  const [file, setFile] = useState<File>();
  const [message, setMessage] = useState<string>();
  const [asking, setAsking] = useState<{ file: File; tables: TableInfo[] }>();
  const isTooLarge = file !== undefined && file.size > MAX_SCRIPT_BYTES;
  const ask = async () => {
    if (file) setAsking({ file, tables: await listTables(slug, AbortSignal.timeout(60_000)) });
  };
  return (
    <Section
      title="Import"
      hint={`Runs a script of SQL in one transaction: all of it, or, when one statement fails, nothing. It takes what Export and sqlite3's .dump write, ${formatBytes(MAX_SCRIPT_BYTES)} at most.`}
    >
      <div class="fn-import">
        <Field
          label="Script"
          error={
            isTooLarge
              ? `The file is ${formatBytes(file.size - MAX_SCRIPT_BYTES)} larger than the limit of ${formatBytes(MAX_SCRIPT_BYTES)}.`
              : undefined
          }
        >
          {(attributes) => (
            <div class="fn-file">
              <input
                {...attributes}
                type="file"
                accept=".sql,application/sql,text/plain"
                onChange={(event) => {
                  setMessage(undefined);
                  setFile((event.target as HTMLInputElement).files?.[0]);
                }}
              />
              <label for={attributes.id} class="button quiet">
                Choose a file
              </label>
              <span class={file ? '' : 'faint'}>{file?.name ?? 'None chosen yet'}</span>
            </div>
          )}
        </Field>
        <Button kind="quiet" onClick={ask} disabled={!file || isTooLarge}>
          Import…
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

interface DialogProps {
  slug: string;
  file: File;
  tables: TableInfo[];
  onClose: () => void;
  onDone: (message: string) => void;
}

/** Says what will become of what is there, and imports. */
function ImportDialog({ slug, file, tables, onClose, onDone }: DialogProps) {
  const [isReplacing, setReplacing] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    setRunning(true);
    try {
      const script = isReplacing ? new Blob([dropStatements(tables), file]) : file;
      onDone((await importScript(slug, script)).message);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog title={`Import ${file.name}?`} onClose={onClose}>
      <p>
        {formatBytes(file.size)} of SQL, run as it is.{' '}
        {tables.length === 0
          ? 'The database is empty.'
          : `The database has ${plural(tables.length, 'table')}: ${namesOf(tables)}. They stay, unless the script itself changes them: its rows are added, and a CREATE TABLE of a name that is there fails.`}
      </p>
      <Form
        submit={isReplacing ? 'Remove them and import' : 'Import'}
        onSubmit={run}
        aside={
          <Button kind="quiet" onClick={onClose} disabled={isRunning}>
            Cancel
          </Button>
        }
      >
        {tables.length > 0 && (
          <Switch
            label="Remove the tables first"
            hint="They and their rows go for good, in the same transaction: if the script fails, they are still there."
            checked={isReplacing}
            onChange={setReplacing}
            disabled={isRunning}
          />
        )}
        {isRunning && <Progress label="Import" note="Sending and running…" />}
      </Form>
    </Dialog>
  );
}

const NAMED = 8;

function namesOf(tables: TableInfo[]): string {
  const names = tables.slice(0, NAMED).map(({ name }) => name);
  return tables.length > NAMED ? `${names.join(', ')} and others` : names.join(', ');
}

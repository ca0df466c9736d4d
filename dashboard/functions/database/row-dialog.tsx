import { useState } from 'preact/hooks';
import { Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import type { Row } from '../api.ts';
import { Ask } from '../ask.tsx';
import { type ColumnInfo, type RowKey, type TableInfo, updateRow } from './sqlite.ts';
import { isBlob, Value } from './value.tsx';

interface Props {
  slug: string;
  table: TableInfo;
  columns: ColumnInfo[];
  rowKey: RowKey;
  row: Row;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

/** Edits one row. Only changed columns are written. */
export function RowDialog({ slug, table, columns, rowKey, row, onClose, onSaved }: Props) {
  const [changes, setChanges] = useState<Row>({});
  const [isAsking, setAsking] = useState(false);
  const save = async () => {
    const { meta } = await updateRow(slug, table.name, rowKey, row[rowKey.field], changes);
    say(
      meta.changes === 0 ? 'This row no longer exists.' : 'Row saved.',
      meta.changes === 0 ? 'bad' : 'good',
    );
    await onSaved();
  };
  const close = () => {
    const isChanged = Object.keys(changes).length > 0;
    if (isChanged) setAsking(true);
    else onClose();
  };
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = changes;
    setChanges(value === row[name] ? others : { ...others, [name]: value });
  };
  return (
    <>
      <Dialog title={`Edit row ${String(row[rowKey.field])}`} onClose={close} wide>
        <Form submit="Save" disabled={Object.keys(changes).length === 0} onSubmit={save} onCancel={close}>
          {columns.map((column) => (
            <Cell
              key={column.name}
              column={column}
              before={row[column.name]}
              value={Object.hasOwn(changes, column.name) ? changes[column.name] : row[column.name]}
              onChange={(value) => change(column.name, value)}
            />
          ))}
        </Form>
      </Dialog>
      {isAsking && (
        <Ask
          title="Discard your changes?"
          submit="Discard"
          cancel="Keep editing"
          onConfirm={onClose}
          onClose={() => setAsking(false)}
        >
          Your changes to this row are not saved.
        </Ask>
      )}
    </>
  );
}

interface CellProps {
  column: ColumnInfo;
  before: unknown;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Cell({ column, before, value, onChange }: CellProps) {
  const { name, type } = column;
  if (column.isGenerated || isBlob(before) || isInexact(before)) {
    return (
      <div class="field">
        <span class="fn-label">{name}</span>
        <p>
          <Value value={before} /> <span class="hint">To edit this value, use the SQL tab.</span>
        </p>
      </div>
    );
  }
  const text = value === null || value === undefined ? '' : String(value);
  return (
    <div class="fn-cell">
      <TextField
        label={name}
        hint={[type, value === null && 'NULL'].filter(Boolean).join(', ')}
        value={text}
        onInput={(typed) => onChange(toValue(typed, before))}
        mono
        {...(text.length > 60 || text.includes('\n') ? { rows: 4 } : {})}
      />
      {!column.isRequired && !column.isKey && (
        <Switch
          label={`${name} is NULL`}
          checked={value === null}
          onChange={(isNull) => onChange(isNull ? null : before === null ? '' : before)}
        />
      )}
    </div>
  );
}

/** Keeps a number a number if the text is one. The type of the column does the rest. */
function toValue(typed: string, before: unknown): unknown {
  if (String(before) === typed) return before;
  return typeof before === 'number' && typed.trim() !== '' && Number.isFinite(Number(typed))
    ? Number(typed)
    : typed;
}

/** Integers beyond 2^53 arrive rounded, so they must not be written back. */
const isInexact = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);

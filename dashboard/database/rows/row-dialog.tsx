import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Ask, Button, Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import type { ColumnInfo } from '../sqlite.ts';
import { CellValue } from './cell-value.tsx';
import { type Cell, type CellRow, isWhole, NULL, toText, typedCell } from './cells.ts';
import { insertRow, type RowSource, updateRow } from './row-queries.ts';

interface Props {
  source: RowSource;
  /** Undefined for a new row. */
  row: CellRow | undefined;
  onClose: () => void;
  onSaved: () => Promise<void>;
  onDelete?: () => void;
}

/** Edits one row or inserts one. Only what was changed is written. */
export function RowDialog({ source, row, onClose, onSaved, onDelete }: Props) {
  const { table, columns } = source;
  const [changes, setChanges] = useState<Record<string, Cell>>({});
  const [isAsking, setAsking] = useState(false);
  const hasChanges = Object.keys(changes).length > 0;
  const save = async () => {
    const isKept = row ? await updateRow(source, row, changes) : Boolean(await insertRow(source, changes));
    if (isKept) say(row ? t('Row saved.') : t('Row inserted.'));
    else say(t('This row no longer exists.'), 'bad');
    await onSaved();
  };
  const change = (name: string, cell: Cell | undefined) => {
    const { [name]: _, ...others } = changes;
    setChanges(cell === undefined ? others : { ...others, [name]: cell });
  };
  const close = () => (hasChanges ? setAsking(true) : onClose());
  const title = row ? nameRow(source, row) : t('Insert into {table}', { table: table.name });
  return (
    <>
      <Dialog title={title} onClose={close} wide>
        <Form
          submit={row ? t('Save') : t('Insert')}
          disabled={row !== undefined && !hasChanges}
          onSubmit={save}
          onCancel={close}
          {...(onDelete && {
            aside: (
              <Button kind="danger" onClick={onDelete}>
                {t('Delete')}
              </Button>
            ),
          })}
        >
          <div class="fn-cells">
            {columns.map((column) => (
              <CellField
                key={column.name}
                column={column}
                before={row?.cells[column.name]}
                changed={changes[column.name]}
                onChange={(cell) => change(column.name, cell)}
              />
            ))}
          </div>
        </Form>
      </Dialog>
      {isAsking && (
        <Ask
          title={t('Discard your changes?')}
          submit={t('Discard')}
          cancel={t('Keep editing')}
          onConfirm={onClose}
          onClose={() => setAsking(false)}
        >
          {t('Your changes to this row are not saved.')}
        </Ask>
      )}
    </>
  );
}

/** A primary key can be anything, also very long. */
const nameRow = ({ key }: RowSource, { id = '' }: CellRow) =>
  key?.kind === 'rowid' ? t('Edit row {id}', { id }) : t('Edit row');

interface CellFieldProps {
  column: ColumnInfo;
  /** Undefined in a new row. */
  before: Cell | undefined;
  changed: Cell | undefined;
  onChange: (cell: Cell | undefined) => void;
}

function CellField({ column, before, changed, onChange }: CellFieldProps) {
  const { name, type } = column;
  const cell = changed ?? before;
  const canBeNull = !column.isRequired && !column.isKey;
  if (column.isGenerated || before?.kind === 'blob' || (before && !isWhole(before)))
    return (
      <div class="field">
        <span class="fn-label">{name}</span>
        <p>
          <CellValue cell={cell} /> <span class="hint">{t('To edit this value, use the SQL tab.')}</span>
        </p>
      </div>
    );
  const text = cell ? toText(cell) : '';
  const input = (typed: string) => {
    if (before && before.kind !== 'null' && typed === toText(before)) return onChange(undefined);
    // A new row leaves out what is not typed, so that the column gets its default.
    onChange(typed === '' && !before ? undefined : typedCell(typed, type));
  };
  return (
    <div class="fn-cell">
      <TextField
        label={name}
        hint={makeHint(column, cell, before === undefined)}
        value={text}
        onInput={input}
        mono
        {...(text.length > 60 || text.includes('\n') ? { rows: 4 } : {})}
      />
      {canBeNull && (
        <Switch
          label={t('{name} is NULL', { name })}
          checked={cell?.kind === 'null'}
          onChange={(isNull) => {
            if (isNull) onChange(before?.kind === 'null' ? undefined : NULL);
            else onChange(before?.kind === 'null' ? { kind: 'text', text: '' } : undefined);
          }}
        />
      )}
    </div>
  );
}

function makeHint(
  { type, defaultValue, isRequired, isKey }: ColumnInfo,
  cell: Cell | undefined,
  isNew: boolean,
): string {
  const rest =
    isNew && !cell
      ? defaultValue !== null
        ? t('default {value}', { value: defaultValue })
        : isRequired && !isKey
          ? t('required')
          : ''
      : cell?.kind === 'null'
        ? 'NULL'
        : '';
  return [type, rest].filter(Boolean).join(', ');
}

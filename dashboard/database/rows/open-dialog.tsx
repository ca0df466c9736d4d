import { t } from '../../texts/index.ts';
import { Dialog, Empty, Form, Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import type { CellRow } from './cells.ts';
import { RowDialog } from './row-dialog.tsx';
import { deleteRow, type RowSource, readRow } from './row-queries.ts';

export type Opened = { kind: 'insert' } | { kind: 'edit' | 'delete'; row: CellRow };

interface Props {
  source: RowSource;
  opened: Opened | undefined;
  setOpened: (opened: Opened) => void;
  onClose: () => void;
  onDone: () => Promise<void>;
}

/** The dialog that is open, if any. */
export function OpenDialog({ source, opened, setOpened, onClose, onDone }: Props) {
  if (!opened) return null;
  if (opened.kind === 'insert')
    return <RowDialog {...{ source, onClose }} row={undefined} onSaved={onDone} />;
  const { row } = opened;
  if (row.id === undefined) return null;
  if (opened.kind === 'edit')
    return (
      <WholeRow
        {...{ source, row, onClose }}
        onSaved={onDone}
        onDelete={() => setOpened({ kind: 'delete', row })}
      />
    );
  const remove = async () => {
    await deleteRow(source, row);
    say(t('Row deleted.'));
    await onDone();
  };
  return (
    <Dialog title={t('Delete this row?')} onClose={onClose}>
      <p>{t('You cannot restore it.')}</p>
      <Form submit={t('Delete row')} isDanger onSubmit={remove} onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}

interface WholeProps {
  source: RowSource;
  row: CellRow;
  onClose: () => void;
  onSaved: () => Promise<void>;
  onDelete: () => void;
}

/** Reads the row again: the list has only the start of long texts, and may be old. */
function WholeRow({ source, row, ...rest }: WholeProps) {
  const loaded = useLoad(async () => (await readRow(source, row)) ?? null, [row.id]);
  if (loaded.value) return <RowDialog {...{ source, ...rest }} row={loaded.value} />;
  return (
    <Dialog title={t('Edit row')} wide onClose={rest.onClose}>
      <Show loaded={loaded} skeleton={<Skeleton lines={6} />}>
        {() => <Empty title={t('This row no longer exists.')} />}
      </Show>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import type { ApiError } from '../../../api.ts';
import { ConfirmByTyping, Progress, plural, say } from '../../../ui/index.ts';
import type { CollectionPlace } from '../api.ts';
import { runAll } from './batches.ts';

interface Props {
  place: CollectionPlace;
  ids: string[];
  onDone: () => void;
  onClose: () => void;
}

/** Deletes the selected records. */
export function DeleteSelected({ place, ids, onDone, onClose }: Props) {
  const [done, setDone] = useState<number>();
  const remove = async () => {
    const refused: ApiError[] = [];
    setDone(0);
    try {
      const items = ids.map((id) => ({
        operation: { op: 'delete' as const, id },
        onRefused: (error: ApiError) => {
          // Someone else has already deleted it.
          if (error.code !== 'NOT_FOUND') refused.push(error);
        },
      }));
      await runAll(place, items, { onProgress: setDone });
    } finally {
      setDone(undefined);
    }
    const [first] = refused;
    if (first) say(`Could not delete ${plural(refused.length, 'record')}. ${first.message}`, 'bad');
    else say(`Deleted ${plural(ids.length, 'record')}.`);
    onDone();
  };
  return (
    <ConfirmByTyping
      title={ids.length === 1 ? 'Delete this record?' : `Delete ${plural(ids.length, 'record')}?`}
      phrase="delete"
      submit="Delete permanently"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        This deletes {ids.length === 1 ? 'the record' : 'the records'} for everyone who uses the page. You can
        restore {ids.length === 1 ? 'it' : 'them'} only from an export.
      </p>
      {done !== undefined && ids.length > 100 && <Progress label="Deleting" done={done} total={ids.length} />}
    </ConfirmByTyping>
  );
}

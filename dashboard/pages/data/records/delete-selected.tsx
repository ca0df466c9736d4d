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

/** Deletes the chosen records, a hundred at a time. */
export function DeleteSelected({ place, ids, onDone, onClose }: Props) {
  const [done, setDone] = useState<number>();
  const remove = async () => {
    const refused: ApiError[] = [];
    setDone(0);
    try {
      const items = ids.map((id) => ({
        operation: { op: 'delete' as const, id },
        onRefused: (error: ApiError) => {
          // Somebody else was faster: that is what was wanted.
          if (error.code !== 'NOT_FOUND') refused.push(error);
        },
      }));
      await runAll(place, items, { onProgress: setDone });
    } finally {
      setDone(undefined);
    }
    const [first] = refused;
    if (first) say(`${plural(refused.length, 'record')} could not be deleted. ${first.message}`, 'bad');
    else say(`${plural(ids.length, 'record')} deleted.`);
    onDone();
  };
  return (
    <ConfirmByTyping
      title={ids.length === 1 ? 'Delete this record?' : `Delete ${plural(ids.length, 'record')}?`}
      phrase="delete"
      submit="Delete for good"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {ids.length === 1 ? 'It is' : 'They are'} gone for good, for everybody who uses the page. An export
        made before is the only way back.
      </p>
      {done !== undefined && ids.length > 100 && <Progress label="Deleting" done={done} total={ids.length} />}
    </ConfirmByTyping>
  );
}

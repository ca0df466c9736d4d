import { useState } from 'preact/hooks';
import type { DeletedRecord } from '../../../../../contract/data/record-history.ts';
import { t } from '../../../../texts/index.ts';
import { Button, Dialog, Empty, formatAgo, formatMoment, Show, say, useLoad } from '../../../../ui/index.ts';
import { bringBack, type CollectionTarget, type DataRecord, listDeleted } from '../../api.ts';
import { Value } from '../value.tsx';

interface Props {
  target: CollectionTarget;
  onRestored: (record: DataRecord) => void;
  onHistory: (record: DeletedRecord) => void;
  onClose: () => void;
}

/** Fields that a record is shown with. */
const SHOWN_FIELDS = 4;

/** The deleted records of a collection. Each can be brought back. */
export function DeletedDialog({ target, onRestored, onHistory, onClose }: Props) {
  const [older, setOlder] = useState<DeletedRecord[]>([]);
  const [next, setNext] = useState<number | null>();
  const [restored, setRestored] = useState<ReadonlySet<string>>(new Set());
  const loaded = useLoad((signal) => listDeleted(target, {}, signal), []);
  const restore = async (record: DeletedRecord) => {
    const back = await bringBack(target, record.id, record.deletedAt);
    setRestored(new Set([...restored, record.id]));
    say(t('Record brought back'));
    onRestored(back);
  };
  return (
    <Dialog title={t('Deleted records')} wide onClose={onClose}>
      <Show loaded={loaded}>
        {(list) => {
          const shown = [...list.records, ...older].filter(({ id }) => !restored.has(id));
          const following = next === undefined ? list.next : next;
          return (
            <>
              <ol class="data-past">
                {shown.map((record) => (
                  <Deleted key={record.id} {...{ record, onHistory }} onRestore={() => restore(record)} />
                ))}
              </ol>
              {shown.length === 0 && following === null && (
                <Empty title={t('No deleted records')} icon="database">
                  {t('When somebody deletes a record, you can bring it back from here.')}
                </Empty>
              )}
              {following !== null && (
                <Button
                  kind="quiet"
                  onClick={async () => {
                    const more = await listDeleted(target, { before: following });
                    setOlder([...older, ...more.records]);
                    setNext(more.next);
                  }}
                >
                  {t('Show older ones')}
                </Button>
              )}
            </>
          );
        }}
      </Show>
    </Dialog>
  );
}

interface DeletedProps {
  record: DeletedRecord;
  onRestore: () => Promise<void>;
  onHistory: (record: DeletedRecord) => void;
}

function Deleted({ record, onRestore, onHistory }: DeletedProps) {
  const { data, deletedAt, deletedBy } = record;
  const fields = Object.entries(data);
  const more = fields.length - SHOWN_FIELDS;
  return (
    <li>
      <header>
        <span>
          {deletedBy && <b>{deletedBy.username}</b>}{' '}
          <time class="faint" dateTime={deletedAt} title={formatMoment(deletedAt)}>
            {formatAgo(deletedAt)}
          </time>
        </span>
        <Button kind="bare" onClick={() => onHistory(record)}>
          {t('History')}
        </Button>
        <Button kind="quiet" onClick={onRestore}>
          {t('Bring back')}
        </Button>
      </header>
      <dl>
        {fields.slice(0, SHOWN_FIELDS).map(([field, value]) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 && <p class="hint">{t('{more|1 more field|{more} more fields}', { more })}</p>}
    </li>
  );
}

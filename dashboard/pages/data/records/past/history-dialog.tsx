import { useState } from 'preact/hooks';
import type { PastChange } from '../../../../../contract/data/record-history.ts';
import { t } from '../../../../texts/index.ts';
import {
  Badge,
  Button,
  Dialog,
  Empty,
  formatAgo,
  formatMoment,
  Show,
  say,
  useLoad,
} from '../../../../ui/index.ts';
import { bringBack, type CollectionTarget, type DataRecord, readHistory } from '../../api.ts';
import { Value } from '../value.tsx';
import { type Compared, compareChanges, type Difference } from './differences.ts';

interface Props {
  target: CollectionTarget;
  record: DataRecord;
  isDeleted: boolean;
  /** Why the user cannot bring an earlier state back. */
  readOnly: string | undefined;
  onRestored: (record: DataRecord) => void;
  onClose: () => void;
}

/** What a record was before each change, with who changed it and when. Each state can be brought back. */
export function HistoryDialog({ target, record, isDeleted, readOnly, onRestored, onClose }: Props) {
  const [older, setOlder] = useState<PastChange[]>([]);
  const loaded = useLoad(
    (signal) => readHistory(target, record.id, {}, signal),
    [record.id, record.updatedAt],
  );
  const [next, setNext] = useState<number | null>();
  const restore = async (change: PastChange) => {
    const restored = await bringBack(target, record.id, change.at);
    say(t('Record brought back'));
    onRestored(restored);
  };
  return (
    <Dialog title={t('History')} wide onClose={onClose}>
      <Show loaded={loaded}>
        {(list) => {
          const compared = compareChanges([...list.changes, ...older], isDeleted ? undefined : record.data);
          const following = next === undefined ? list.next : next;
          return (
            <>
              <ol class="data-past">
                {compared.map((change, at) => (
                  <Change
                    key={`${change.at} ${at}`}
                    change={change}
                    onRestore={readOnly === undefined && change.before ? () => restore(change) : undefined}
                  />
                ))}
                {following === null && <Created record={record} />}
              </ol>
              {compared.length === 0 && (
                <Empty title={t('No changes yet')}>
                  {t('Earlier states of this record will appear here.')}
                </Empty>
              )}
              {following !== null && (
                <Button
                  kind="quiet"
                  onClick={async () => {
                    const more = await readHistory(target, record.id, { before: following });
                    setOlder([...older, ...more.changes]);
                    setNext(more.next);
                  }}
                >
                  {t('Show older changes')}
                </Button>
              )}
              {readOnly && compared.length > 0 && <p class="hint">{readOnly}</p>}
            </>
          );
        }}
      </Show>
    </Dialog>
  );
}

const ACTIONS = () => ({ update: t('Changed'), delete: t('Deleted'), restore: t('Brought back') });
const KINDS = { update: 'plain', delete: 'bad', restore: 'good' } as const;

function Change({ change, onRestore }: { change: Compared; onRestore: (() => Promise<void>) | undefined }) {
  const { at, by, action, differences } = change;
  return (
    <li>
      <header>
        <Badge kind={KINDS[action]}>{ACTIONS()[action]}</Badge>
        <span>
          {by && <b>{by.username}</b>}{' '}
          <time class="faint" dateTime={at} title={formatMoment(at)}>
            {formatAgo(at)}
          </time>
        </span>
        {onRestore && (
          <Button kind="quiet" label={t('Bring back the state before this change')} onClick={onRestore}>
            {t('Bring back')}
          </Button>
        )}
      </header>
      <dl>
        {differences.map((each) => (
          <Differing key={each.field} {...each} />
        ))}
      </dl>
      {differences.length === 0 && <p class="hint">{t('Saved without a difference.')}</p>}
    </li>
  );
}

function Differing({ field, before, after }: Difference) {
  return (
    <div>
      <dt>{field}</dt>
      <dd>
        {before !== undefined && (
          <del>
            <Value value={before} />
          </del>
        )}
        {after !== undefined && (
          <ins>
            <Value value={after} />
          </ins>
        )}
      </dd>
    </div>
  );
}

function Created({ record: { createdAt, createdBy } }: { record: DataRecord }) {
  return (
    <li>
      <header>
        <Badge kind="plain">{t('Created')}</Badge>
        <span>
          {createdBy && <b>{createdBy.username}</b>}{' '}
          <time class="faint" dateTime={createdAt} title={formatMoment(createdAt)}>
            {formatAgo(createdAt)}
          </time>
        </span>
      </header>
    </li>
  );
}

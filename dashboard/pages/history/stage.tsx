import { useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, ConfirmDialog, Failure, Icon, say, useLoad, useSettled } from '../../ui/index.ts';
import { getVersion, type PageDetail } from '../api.ts';
import { deleteMoment, getMoment, type Moment } from './api.ts';
import { Frames } from './frames.tsx';
import { RestorePanel } from './restore-panel.tsx';
import type { Restoring } from './use-restore.ts';
import { chooseIcon, formatExact, listOthers, listPeople, sayMoment } from './words.ts';

interface StageProps {
  page: PageDetail;
  moment: Moment | undefined;
  restoring: Restoring;
  onDeleted: () => Promise<void>;
}

/** The chosen moment: what happened, the page as it was, and what restoring it would change. */
export function Stage({ page, moment, restoring, onDeleted }: StageProps) {
  // While the slider moves, nothing is loaded.
  const at = useSettled(moment?.at ?? '');
  const now = useLoad(
    async (signal) => (await getVersion(page.id, page.versionCount, signal)).preview_url,
    [page.id, page.versionCount],
  );
  const detail = useLoad(
    async (signal) => (at ? getMoment(page.id, at, signal) : undefined),
    [page.id, at, page.versionCount],
  );
  // Every look has another link: a version keeps its first one, so that its frame stays.
  const urls = useRef(new Map<number, string>());
  const shown = detail.value?.at === moment?.at ? detail.value : undefined;
  if (shown && !urls.current.has(shown.page_version)) urls.current.set(shown.page_version, shown.preview_url);
  const then = shown && {
    url: urls.current.get(shown.page_version) ?? shown.preview_url,
    label: t('Version {version}', { version: String(shown.page_version) }),
    isSame: shown.page_version === page.versionCount,
  };
  return (
    <section class="moment-stage" aria-label={moment ? sayMoment(moment) : t('Now')}>
      {moment ? (
        <MomentHead page={page} moment={moment} onDeleted={onDeleted} />
      ) : (
        <header class="moment-head">
          <div>
            <h2>{t('The page as it is now')}</h2>
            <p class="hint">
              {t('Move the slider, or choose a moment from the list, to see what was and to go back to it.')}
            </p>
          </div>
        </header>
      )}
      {detail.error && moment ? (
        <Failure error={detail.error} retry={detail.reload} />
      ) : (
        <Frames then={then} now={now.value} isNow={!moment} />
      )}
      {moment && (
        <p class="hint moment-note">
          {t('The previews show text and files. Records and databases in them are those of now.')}
        </p>
      )}
      {moment && shown && <RestorePanel key={moment.at} {...{ page, restoring }} moment={shown} />}
    </section>
  );
}

function MomentHead({
  page,
  moment,
  onDeleted,
}: Pick<StageProps, 'page' | 'onDeleted'> & { moment: Moment }) {
  const [isAsking, setAsking] = useState(false);
  const others = listOthers(moment);
  const people = listPeople(moment);
  const { name } = moment;
  const remove = async () => {
    await deleteMoment(page.id, moment.at);
    setAsking(false);
    say(t('The moment is no longer kept.'));
    await onDeleted();
  };
  return (
    <header class={name === undefined ? 'moment-head' : 'moment-head named'}>
      <Icon name={chooseIcon(moment)} size={22} />
      <div>
        <h2>{sayMoment(moment)}</h2>
        {others.length > 0 && <p>{others.join(' ')}</p>}
        <p class="hint">
          <time dateTime={moment.at}>{formatExact(moment.at)}</time>
          {people && ` · ${people}`}
        </p>
      </div>
      {name !== undefined && (
        <Button kind="bare" icon="trash" onClick={() => setAsking(true)}>
          {t('Delete')}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t('Delete the moment “{name}”?', { name: name ?? '' })}
          action={t('Delete moment')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t('You can no longer go back to exactly this state. The page stays as it is.')}</p>
        </ConfirmDialog>
      )}
    </header>
  );
}

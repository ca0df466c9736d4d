import { useState } from 'preact/hooks';
import { Link, navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Button, Choice, Dialog, formatCredits, Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import { TextDifference } from '../../versions/index.tsx';
import { deletePage, patchPage, SHARE, toPageScreen } from '../api.ts';
import { getDraft, publishDraft } from '../drafts/api.ts';
import { openAsPage } from '../editor/visual/mode.ts';
import { ChangeForm } from './change-form.tsx';
import { Checked } from './findings.tsx';
import type { BuilderRun } from './run.ts';
import { sayEnd } from './words.ts';

interface ResultProps {
  run: BuilderRun;
  pageId: number;
  draft: number;
}

/** A new page that the builder made: how it looks, its code, and what to do with it. */
export function Result({ run, pageId, draft }: ResultProps) {
  const [view, setView] = useState<'picture' | 'code'>('picture');
  const { end, check, functions } = run.state.value;
  const loaded = useLoad((signal) => getDraft(pageId, draft, signal), [pageId, draft, end]);
  return (
    <section class="builder-result" aria-label={t('Result')}>
      <header>
        <h2>{t('Your page is ready to look at')}</h2>
        <Actions run={run} pageId={pageId} draft={draft} />
      </header>
      {end && (
        <p class="hint">
          {end.outcome !== 'finished' && `${sayEnd(end.outcome)} `}
          {t('This took {spent} credits. You have {left}.', {
            spent: formatCredits(end.credits.deducted),
            left: formatCredits(end.credits.remaining),
          })}
        </p>
      )}
      <BuiltFunctions slugs={functions} />
      <div class="builder-views">
        <Choice
          label={t('View')}
          value={view}
          options={[
            ['picture', t('Picture')],
            ['code', t('Code')],
          ]}
          onChoose={setView}
        />
        {loaded.value && (
          <a href={loaded.value.preview_url} target="_blank" rel="noopener">
            {t('Open the preview')}
          </a>
        )}
      </div>
      {view === 'picture' ? (
        check && <Checked check={check.check} reason={check.reason} />
      ) : (
        <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
          {({ html_content }) => (
            <TextDifference text={html_content} original="" language="html" what={t('The page has')} />
          )}
        </Show>
      )}
      <ChangeForm onSend={(prompt) => void run.start({ prompt, draft }, pageId)} />
    </section>
  );
}

/** Functions are live already, so the person must know of them. */
export function BuiltFunctions({ slugs }: { slugs: string[] }) {
  if (slugs.length === 0) return null;
  return (
    <p class="hint">
      {t('{count|It also deployed a function:|It also deployed functions:}', { count: slugs.length })}{' '}
      {slugs.map((slug, index) => (
        <>
          {index > 0 && ', '}
          <Link href={`/functions/${slug}`}>{slug}</Link>
        </>
      ))}
    </p>
  );
}

function Actions({ run, pageId, draft }: ResultProps) {
  const [isAsking, setAsking] = useState(false);
  const leave = (to: string) => {
    run.reset();
    navigate(to);
  };
  const keep = async () => {
    await publishDraft(pageId, draft, {});
    openAsPage(me.value?.id, pageId);
    say(t('Kept. Only you can see the page until you publish it.'));
    leave(toPageScreen(pageId));
  };
  const publish = async () => {
    await publishDraft(pageId, draft, {});
    openAsPage(me.value?.id, pageId);
    await patchPage(pageId, { is_published: true });
    leave(toPageScreen(pageId, SHARE));
  };
  const discard = async () => {
    await deletePage(pageId);
    say(t('Discarded.'));
    leave('/pages');
  };
  return (
    <div class="actions">
      <Button onClick={publish}>{t('Publish page')}</Button>
      <Button kind="quiet" onClick={keep}>
        {t('Keep as draft')}
      </Button>
      <Button kind="bare" onClick={() => setAsking(true)}>
        {t('Discard')}
      </Button>
      {isAsking && (
        <Dialog title={t('Discard this page?')} onClose={() => setAsking(false)}>
          <p>{t('The page and what was said about it are deleted. Functions that were deployed stay.')}</p>
          <div class="actions">
            <Button kind="danger" onClick={discard}>
              {t('Discard page')}
            </Button>
            <Button kind="quiet" onClick={() => setAsking(false)}>
              {t('Cancel')}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

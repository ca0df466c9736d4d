import { t } from '../../texts/index.ts';
import { Button, ScreenHead } from '../../ui/index.ts';
import { DescribeBox, newPage } from './box.tsx';
import { ChangeForm } from './change-form.tsx';
import { Progress } from './progress.tsx';
import { Result } from './result.tsx';
import { sayEnd } from './words.ts';

/** The screen on which a new page is built. */
export function BuildScreen() {
  const { status, prompt, pageId, draft } = newPage.state.value;
  return (
    <div class="builder-screen">
      <ScreenHead title={t('New page')} back={{ href: '/pages', label: t('Pages') }} />
      {status === 'idle' ? (
        <DescribeBox />
      ) : (
        <>
          <blockquote class="builder-prompt">{prompt}</blockquote>
          <Progress run={newPage} />
          {status === 'failed' && <Failed />}
          {status === 'done' && pageId !== undefined && draft !== undefined && (
            <Result run={newPage} pageId={pageId} draft={draft} />
          )}
          {status === 'done' && draft === undefined && <Nothing />}
        </>
      )}
    </div>
  );
}

/** What was written before a failure is a draft, and can be continued. */
function Failed() {
  const { failure, prompt, pageId, draft } = newPage.state.value;
  const canContinue = pageId !== undefined && draft !== undefined;
  return (
    <>
      <div class="notice bad" role="alert">
        <p>{failure}</p>
      </div>
      <div class="actions">
        <Button
          onClick={() =>
            void newPage.start(
              { prompt, draft: canContinue ? draft : undefined },
              canContinue ? pageId : undefined,
            )
          }
        >
          {t('Try again')}
        </Button>
        <Button kind="quiet" onClick={newPage.reset}>
          {t('Describe another page')}
        </Button>
      </div>
      {canContinue && <Result run={newPage} pageId={pageId} draft={draft} />}
    </>
  );
}

/** The model asked something, or the credits did not last. */
function Nothing() {
  const { end, pageId } = newPage.state.value;
  return (
    <>
      {end && end.outcome !== 'finished' && <p class="notice warn">{sayEnd(end.outcome)}</p>}
      <ChangeOrLeave pageId={pageId} />
    </>
  );
}

function ChangeOrLeave({ pageId }: { pageId: number | undefined }) {
  return (
    <>
      <ChangeForm onSend={(prompt) => void newPage.start({ prompt }, pageId)} />
      <div class="actions">
        <Button kind="quiet" onClick={newPage.reset}>
          {t('Describe another page')}
        </Button>
      </div>
    </>
  );
}

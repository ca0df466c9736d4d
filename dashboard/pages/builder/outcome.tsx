import type { ComponentChildren } from 'preact';
import type { BuilderRun as Run } from '../../../contract/agents/builder.ts';
import { ApiError } from '../../api.ts';
import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import { rich, sayMessage, t } from '../../texts/index.ts';
import { Button, formatCredits } from '../../ui/index.ts';
import type { BuilderRun } from './run.ts';
import { findTrouble, sayEnd } from './words.ts';

/** How the last run ended, what to do about it, and what it cost. */
export function Outcome({ builder }: { builder: BuilderRun }) {
  const { run, status, refusal } = builder.state.value;
  const again = () => void builder.start(toNextWish(run), run?.page.id);
  if (status === 'refused' && refusal) return <Refused builder={builder} refusal={refusal} />;
  if (!run || run.state === 'running') return null;
  if (run.state === 'lost')
    return (
      <Card
        title={t('The server stopped while the builder was working.')}
        actions={<Button onClick={again}>{t('Continue')}</Button>}
      >
        {run.draft
          ? t('What was saved by then is still here.')
          : t('Nothing was saved yet. Your description is still here.')}
      </Card>
    );
  return (
    <>
      {run.failure && <Failed failure={run.failure} onAgain={again} />}
      {run.end && run.end.outcome !== 'finished' && <Early run={run} onContinue={again} />}
      {run.end && run.draft && run.reason && (
        <p class="builder-cost">{t('Not tried in a browser: {reason}', { reason: run.reason })}</p>
      )}
      <BuiltFunctions slugs={run.functions} />
      {run.end && (
        <p class="builder-cost">
          {t('This took {spent} credits. You have {left}.', {
            spent: formatCredits(run.end.credits.deducted),
            left: formatCredits(run.end.credits.remaining),
          })}
        </p>
      )}
    </>
  );
}

/** Continues with what is there; without anything, the same again. */
function toNextWish(run: Run | null | undefined) {
  const draft = run?.draft?.draft;
  const prompt = draft === undefined || run?.failure ? (run?.prompt ?? '') : t('Continue where you stopped.');
  return { prompt, ...(draft !== undefined && { draft }) };
}

function Failed({ failure, onAgain }: { failure: NonNullable<Run['failure']>; onAgain: () => void }) {
  const trouble = findTrouble(failure.error);
  const isAdmin = me.value?.isAdmin === true;
  return (
    <Card
      title={trouble?.title ?? sayMessage({ ...failure, error: failure.message })}
      isBad
      actions={
        <>
          <Button onClick={onAgain}>{t('Try again')}</Button>
          {isAdmin && trouble?.isForAdmins && (
            <Link class="button quiet" href="/admin/providers">
              {t('Look at the model')}
            </Link>
          )}
        </>
      }
    >
      {trouble?.advice}{' '}
      {failure.draft === null
        ? t('Your description is still here.')
        : t('What was written by then is still here.')}
    </Card>
  );
}

function Early({ run, onContinue }: { run: Run; onContinue: () => void }) {
  const { outcome } = run.end ?? { outcome: 'stopped' as const };
  const canContinue = outcome !== 'credits' && outcome !== 'length';
  return (
    <Card
      title={sayEnd(outcome)}
      actions={
        canContinue && (
          <Button kind="quiet" onClick={onContinue}>
            {run.draft ? t('Continue') : t('Try again')}
          </Button>
        )
      }
    />
  );
}

/** What was asked for did not begin. */
function Refused({ builder, refusal }: { builder: BuilderRun; refusal: Error }) {
  const { wish, pageId } = builder.state.value;
  const isBusy = refusal instanceof ApiError && refusal.code === 'CONFLICT';
  return (
    <Card
      title={
        isBusy
          ? t('The builder is already working on this page, in another window. Your message was not sent.')
          : refusal.message
      }
      isBad
      actions={wish && <Button onClick={() => void builder.start(wish, pageId)}>{t('Try again')}</Button>}
    >
      {wish && <q>{wish.prompt}</q>}
    </Card>
  );
}

interface CardProps {
  title: string;
  isBad?: boolean;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

function Card({ title, isBad = false, actions, children }: CardProps) {
  return (
    <div class={`builder-card ${isBad ? 'bad' : ''}`} role={isBad ? 'alert' : 'status'}>
      <p class="builder-card-title">{title}</p>
      {children && <p>{children}</p>}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

/** Functions are live already, so the person must know of them. */
function BuiltFunctions({ slugs }: { slugs: string[] }) {
  if (slugs.length === 0) return null;
  return (
    <p class="builder-cost">
      {t('{count|It also started a function:|It also started functions:}', { count: slugs.length })}{' '}
      {slugs.map((slug, index) => (
        <>
          {index > 0 && ', '}
          <Link href={`/functions/${slug}`}>{slug}</Link>
        </>
      ))}
    </p>
  );
}

/** Shown to administrators in place of the builder, if there is no model. */
export function ConnectModel() {
  return (
    <p>
      {rich('<a>Connect a model</a> to build pages by describing them.', {
        a: (text) => <Link href="/admin/providers">{text}</Link>,
      })}
    </p>
  );
}

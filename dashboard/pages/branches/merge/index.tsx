import { useState } from 'preact/hooks';
import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Button, Dialog, Empty, Failure, Progress, Section, Skeleton } from '../../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../../api.ts';
import type { Branch } from '../api.ts';
import { say } from '../changes/words.ts';
import { OwnerOnly, WithBranch } from '../found.tsx';
import { CHANGES } from '../places.ts';
import type { Into } from './api.ts';
import { Conflicts } from './conflicts.tsx';
import { Options } from './options.tsx';
import { ResultSection } from './outcome.tsx';
import { type Merge, useMerge } from './use-merge.ts';

/** Brings a branch to its page, or the page's changes to the branch, after saying what would happen. */
export function MergeScreen({ page, into }: { page: PageDetail; into: Into }) {
  if (page.branch && page.role !== 'owner') return <OwnerOnly />;
  return <WithBranch page={page}>{(branch) => <Merging branch={branch} into={into} />}</WithBranch>;
}

function Merging({ branch, into }: { branch: Branch; into: Into }) {
  const merge = useMerge(branch, into);
  if (merge.step) return <Running merge={merge} />;
  if (merge.result) return <ResultSection branch={branch} merge={merge} result={merge.result} />;
  return (
    <>
      {merge.refusal && (
        <div class="notice bad" role="alert">
          <p>{merge.refusal.message}</p>
        </div>
      )}
      {merge.failure ? (
        <Failure error={merge.failure} retry={merge.retry} />
      ) : merge.trial && merge.found ? (
        <Plan branch={branch} merge={merge} />
      ) : (
        <Skeleton lines={8} />
      )}
    </>
  );
}

function Plan({ branch, merge }: { branch: Branch; merge: Merge }) {
  const { into, trial, found, conflicts } = merge;
  const isNothing = into === 'main' ? found?.branch === 0 : found?.main === 0;
  if (isNothing && conflicts.length === 0)
    return (
      <Empty
        icon="check"
        title={into === 'main' ? t('Nothing to merge') : t('The branch is up to date')}
        action={
          <Link class="button quiet" href={toPageScreen(branch.page.id, CHANGES)}>
            {t('Changes')}
          </Link>
        }
      >
        {into === 'main'
          ? t('The branch has nothing that the page does not have.')
          : t('The page has not changed since the branch was made or updated.')}
      </Empty>
    );
  return (
    <>
      <Section
        title={into === 'main' ? t('Merge into the page') : t('Update from the page')}
        hint={
          into === 'main'
            ? t('Brings what was changed on the branch to the page, in one step that can be undone.')
            : t('Brings what was changed on the page to the branch. The page stays as it is.')
        }
      >
        <h3 class="branch-heading">{t('What happens')}</h3>
        <div aria-live="polite" aria-busy={merge.isTrying}>
          <ul class="branch-summary">
            {trial?.summary.map((said) => (
              <li key={said.text}>{say(said)}</li>
            ))}
          </ul>
          {trial?.problems.map((said) => (
            <p key={said.text} class="notice bad">
              {say(said)}
            </p>
          ))}
          {trial?.left_out.map((said) => (
            <p key={said.text} class="hint">
              {say(said)}
            </p>
          ))}
        </div>
      </Section>
      {into === 'main' && <Options merge={merge} />}
      {conflicts.length > 0 && <Conflicts branch={branch} merge={merge} />}
      <Start branch={branch} merge={merge} />
    </>
  );
}

function Start({ branch, merge }: { branch: Branch; merge: Merge }) {
  const [isAsking, setAsking] = useState(false);
  const { into, trial, wish } = merge;
  const open = trial?.conflict_count ?? 0;
  const mustConfirm = (trial?.needs_confirm.length ?? 0) > 0 && !wish.confirm;
  const hasProblems = (trial?.problems.length ?? 0) > 0;
  const label = into === 'main' ? t('Merge') : t('Update branch');
  const start = () => {
    setAsking(false);
    void merge.start();
  };
  return (
    <div class="branch-start">
      <Button
        disabled={merge.isTrying || open > 0 || mustConfirm || hasProblems}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <p class="hint">
        {open > 0
          ? t('Choose for {count|1 conflict|{count} conflicts} first.', { count: open })
          : hasProblems
            ? t('The databases do not fit together: mend the branch first.')
            : mustConfirm
              ? t('Confirm first that data is removed.')
              : t('You can undo it afterwards.')}
      </p>
      {isAsking && (
        <Dialog
          title={
            into === 'main'
              ? t('Merge {name} into the page?', { name: branch.name })
              : t('Update {name}?', { name: branch.name })
          }
          onClose={() => setAsking(false)}
        >
          <p>
            {into === 'main'
              ? t(
                  'Your visitors get the changes at once. First they are tried on a copy, and everything is kept as it is now, so that you can undo it.',
                )
              : t('Everything on the branch is kept as it is now, so that you can undo it.')}
          </p>
          <ul class="branch-summary">
            {trial?.summary.map((said) => (
              <li key={said.text}>{say(said)}</li>
            ))}
          </ul>
          <div class="actions">
            <Button onClick={start}>{label}</Button>
            <Button kind="quiet" onClick={() => setAsking(false)}>
              {t('Cancel')}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

const STEPS = ['rehearsal', 'moment', 'page', 'databases', 'records'];

function Running({ merge: { step = '' } }: { merge: Merge }) {
  const texts: Record<string, string> = {
    rehearsal: t('Trying it on a copy'),
    moment: t('Keeping everything as it is now'),
    page: t('The page and its functions'),
    databases: t('Databases'),
    records: t('Records'),
    undone: t('A step failed: everything goes back to how it was'),
  };
  const done = STEPS.indexOf(step);
  return (
    <Section title={t('In progress')}>
      <div role="status">
        <Progress
          label={texts[step] ?? t('In progress')}
          {...(done >= 0 && { done: done + 0.5, total: STEPS.length })}
          note={t('This goes on if you leave.')}
        />
      </div>
    </Section>
  );
}

import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Button, Icon, Section } from '../../../ui/index.ts';
import { toPageScreen } from '../../api.ts';
import type { Branch } from '../api.ts';
import type { Result } from './result.ts';
import type { Merge } from './use-merge.ts';

interface Props {
  branch: Branch;
  merge: Merge;
  result: Result;
}

/** How a merge has ended, with a way to look at the result and to undo it. */
export function ResultSection({ branch, merge, result }: Props) {
  const { into, summary, version, findings, notTried, isUndone } = result;
  const isMain = into === 'main';
  const title = isUndone ? t('Undone') : isMain ? t('Merged into the page') : t('The branch is updated');
  return (
    <Section
      title={title}
      hint={
        isUndone
          ? isMain
            ? t('The page is as it was before the merge. The branch still has its changes.')
            : t('The branch is as it was before the update.')
          : version === null
            ? undefined
            : t('This is version {version}.', { version: String(version) })
      }
    >
      <div role="status">
        {!isUndone && (
          <ul class="branch-summary">
            {summary.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </div>
      {notTried && !isUndone && <p class="hint">{notTried}</p>}
      {findings > 0 && !isUndone && (
        <p class="notice warn">
          <span>
            {t(
              '{count|1 thing that strangers could do was|{count} things that strangers could do were} found on a copy.',
              { count: findings },
            )}
          </span>
          <Link href={toPageScreen(branch.of, 'attack')}>{t('Attack')}</Link>
        </p>
      )}
      {merge.refusal && (
        <div class="notice bad" role="alert">
          <p>{merge.refusal.message}</p>
        </div>
      )}
      <Actions branch={branch} merge={merge} result={result} />
    </Section>
  );
}

function Actions({ branch, merge, result: { into, undo, isUndone } }: Props) {
  const isMain = into === 'main';
  const mainUrl = branch.page.url.slice(0, -branch.name.length - 2);
  return (
    <div class="actions">
      <a class="button" href={isMain ? mainUrl : branch.page.url} target="_blank" rel="noopener">
        <Icon name="external" size={18} />
        {isMain ? t('Look at the page') : t('Look at the branch')}
      </a>
      {undo && !isUndone && (
        <Button kind="quiet" icon="undo" onClick={merge.undo}>
          {t('Undo')}
        </Button>
      )}
      <Button kind="quiet" onClick={merge.dismiss}>
        {t('Continue with the branch')}
      </Button>
      {isMain && (
        <Link class="button bare" href={toPageScreen(branch.of, 'history')}>
          {t('History')}
        </Link>
      )}
    </div>
  );
}

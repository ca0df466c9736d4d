import { t } from '../../../texts/index.ts';
import { Button, Section } from '../../../ui/index.ts';
import type { Branch } from '../api.ts';
import type { Change } from '../changes/api.ts';
import { ChangeLine } from '../changes/line.tsx';
import { describePath } from '../changes/words.ts';
import type { From } from './api.ts';
import type { Merge } from './use-merge.ts';

/** Conflicts whose content is shown at once. */
const OPEN_AT_FIRST = 3;

/** What both sides changed differently: for each, one of them counts. */
export function Conflicts({ branch, merge }: { branch: Branch; merge: Merge }) {
  const { conflicts, choices, trial } = merge;
  const left = conflicts.filter(({ path }) => !choices.has(path)).map(({ path }) => path);
  const more = (trial?.conflict_count ?? 0) - left.length;
  return (
    <Section
      title={t('Conflicts')}
      hint={t('Changed on the branch and on the page, and not in the same way. Choose what counts.')}
      actions={
        left.length > 1 && (
          <>
            <Button kind="quiet" onClick={() => merge.choose(left, 'branch')}>
              {t('The branch for all')}
            </Button>
            <Button kind="quiet" onClick={() => merge.choose(left, 'main')}>
              {t('The page for all')}
            </Button>
          </>
        )
      }
    >
      <ul class="branch-changes">
        {conflicts.map((change, index) => (
          <ChangeLine key={change.path} branch={branch} change={change} isOpen={index < OPEN_AT_FIRST}>
            <SideChoice change={change} merge={merge} />
          </ChangeLine>
        ))}
      </ul>
      {more > 0 && !merge.isTrying && (
        <p class="hint">
          {t('{count|1 more follows|{count} more follow} when you have chosen for these.', { count: more })}
        </p>
      )}
    </Section>
  );
}

function SideChoice({ change, merge }: { change: Change; merge: Merge }) {
  const { path, branch, main } = change;
  const chosen = merge.choices.get(path);
  const sides: Array<[From, string]> = [
    ['branch', branch ? t('What the branch has') : t('Deleted, as on the branch')],
    ['main', main ? t('What the page has') : t('Deleted, as on the page')],
  ];
  return (
    <fieldset class="branch-sides">
      <legend class="for-readers">{t('What counts for {title}', describePath(change))}</legend>
      {sides.map(([from, label]) => (
        <label key={from}>
          <input
            type="radio"
            name={`side of ${path}`}
            checked={chosen === from}
            onChange={() => merge.choose([path], from)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

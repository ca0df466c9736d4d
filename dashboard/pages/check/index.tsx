import { useState } from 'preact/hooks';
import type { CheckWish, PageCheck } from '../../../contract/checks/page-check.ts';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Button, Choice, Empty, Failure, Skeleton, useLoad } from '../../ui/index.ts';
import { checkPage, type PageDetail } from '../api.ts';
import { Findings } from './findings.tsx';
import { Picture } from './picture.tsx';

interface CheckProps {
  page: PageDetail;
  /** Changes when the person asks for another check. */
  checks: number;
  /** True if the editor has changes that are not saved. */
  isDirty: boolean;
  goTo: (line: number, column?: number) => void;
  onClose: () => void;
}

/** The windows to choose from, and what each asks for. */
const WINDOW_WISHES = {
  desktop: {},
  tablet: { width: 820 },
  phone: { viewport: 'phone' },
} as const satisfies Record<string, CheckWish>;

/** What a browser on the server saw when it opened the saved page. */
export function CheckPane({ page, checks, isDirty, goTo, onClose }: CheckProps) {
  const [window, setWindow] = useState<keyof typeof WINDOW_WISHES>('desktop');
  const [path, setPath] = useState('');
  // Only people who work on a draft can see it.
  const [as, setAs] = useState<string>(page.is_published ? 'nobody' : 'owner');
  const check = useLoad(
    (signal) => checkPage(page.id, { as, ...WINDOW_WISHES[window], ...(path && { path }) }, signal),
    [page.id, page.versionCount, checks, as, window, path],
  );
  return (
    <section class="page-check" aria-label={t('Check')} aria-busy={check.isLoading}>
      <header>
        <h2>{t('Check')}</h2>
        <div class="actions">
          <Button kind="bare" onClick={check.reload} disabled={check.isLoading}>
            {t('Check again')}
          </Button>
          <Button kind="bare" onClick={onClose}>
            {t('Close')}
          </Button>
        </div>
      </header>
      <div class="page-check-choices">
        <Choice
          label={t('Window')}
          value={window}
          options={[
            ['desktop', t('Desktop')],
            ['tablet', t('Tablet')],
            ['phone', t('Phone')],
          ]}
          onChoose={setWindow}
        />
        <PathField onChange={setPath} />
        <Choice
          label={t('Visitor')}
          value={as}
          options={[
            ['nobody', t('Not logged in')],
            ['visitor', t('A visitor')],
            ...(page.storageMode === 'team_app' ? [['member', t('A member')] as const] : []),
            ['owner', t('As you')],
          ]}
          onChoose={setAs}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="page-check-result" tabIndex={0} aria-label={t('Result')}>
        <p class="hint" role="status">
          {check.isLoading
            ? t('Opening the page in a browser…')
            : isDirty && t('Your unsaved changes are not checked.')}
        </p>
        <Result check={check.value} error={check.error} retry={check.reload} goTo={goTo} />
      </section>
    </section>
  );
}

/** Which page of the site to open. It is used when the person has written it. */
function PathField({ onChange }: { onChange: (path: string) => void }) {
  return (
    <input
      class="page-check-path"
      aria-label={t('Page of the site')}
      placeholder="index.html"
      maxLength={500}
      spellcheck={false}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  );
}

interface ResultProps {
  check: PageCheck | undefined;
  error: Error | undefined;
  retry: () => void;
  goTo: CheckProps['goTo'];
}

function Result({ check, error, retry, goTo }: ResultProps) {
  if (error instanceof ApiError && error.status === 501)
    return <Empty title={t('Checks are not available')}>{error.message}</Empty>;
  if (error) return <Failure error={error} retry={retry} />;
  if (!check) return <Skeleton lines={8} />;
  return (
    <>
      <Picture check={check} />
      <Findings check={check} goTo={goTo} />
    </>
  );
}

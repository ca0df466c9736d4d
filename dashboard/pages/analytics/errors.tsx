import { useEffect } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Button,
  Failure,
  formatAgo,
  formatMoment,
  formatNumber,
  Show,
  Skeleton,
  say,
  useLoad,
} from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import { type PageError, readErrors, resolveAllErrors, resolveError } from './api.ts';
import { ErrorRepair, RepairNote, type Repairs, useRepairs } from './repairs/index.tsx';

/** Errors of the page's scripts in visitors' browsers. Loaded again when their number changes. */
export function Errors({ page, total }: { page: PageDetail; total: number | undefined }) {
  const loaded = useLoad((signal) => readErrors(page.id, signal), [page.id]);
  useEffect(() => {
    if (total !== undefined) void loaded.reload();
  }, [total]);
  const remove = async (removed: PageError[], work: () => Promise<void>) => {
    await work();
    loaded.set((loaded.value ?? []).filter((error) => !removed.includes(error)));
    say(t('Resolved. If it happens again, it is listed again.'));
  };
  const errors = loaded.value ?? [];
  const repairs = useRepairs(page);
  return (
    <section class="page-errors" aria-labelledby="page-errors">
      <header>
        <h2 id="page-errors">{t('Errors in visitors’ browsers')}</h2>
        {errors.length > 1 && (
          <Button kind="quiet" onClick={() => remove(errors, () => resolveAllErrors(page.id))}>
            {t('Resolve all')}
          </Button>
        )}
      </header>
      {errors.length > 0 && repairs && <RepairNote page={page} repairs={repairs} />}
      {loaded.value && loaded.error && <Failure error={loaded.error} />}
      <Show loaded={loaded} skeleton={<Skeleton lines={3} />}>
        {(list) =>
          list.length === 0 ? (
            <p class="page-errors-none">
              {t(
                'No errors in the last 30 days. If a script on this page fails in a browser, the error and its line appear here.',
              )}
            </p>
          ) : (
            <ol>
              {list.map((error) => (
                <ErrorItem
                  key={error.fingerprint}
                  page={page}
                  error={error}
                  repairs={repairs}
                  onResolve={() => remove([error], () => resolveError(page.id, error.fingerprint))}
                />
              ))}
            </ol>
          )
        }
      </Show>
    </section>
  );
}

interface ItemProps {
  page: PageDetail;
  error: PageError;
  repairs: Repairs | undefined;
  onResolve: () => Promise<void>;
}

function ErrorItem({ page, error, repairs, onResolve }: ItemProps) {
  const { message, count, browser, lastAt, firstAt, stack, version } = error;
  return (
    <li class="page-error">
      <div>
        <p class="page-error-message">{message}</p>
        <p class="hint">
          <Place pageId={page.id} error={error} />
          {' · '}
          <span title={formatMoment(lastAt)}>{formatAgo(lastAt)}</span>
          {browser !== '' && ` · ${browser}`}
          {version !== page.versionCount && ` · ${t('in version {version}', { version: String(version) })}`}
        </p>
        {stack && (
          <details>
            <summary>{t('Stack')}</summary>
            <pre>{stack}</pre>
            <p class="hint">{t('First seen {moment}.', { moment: formatMoment(firstAt) })}</p>
          </details>
        )}
        {repairs && <ErrorRepair error={error} repairs={repairs} />}
      </div>
      <span class="page-error-count" title={t('{count|Happened once|Happened {count} times}', { count })}>
        {t('{count} ×', { count: formatNumber(count) })}
      </span>
      <Button kind="quiet" label={t('Resolve {message}', { message })} onClick={onResolve}>
        {t('Resolve')}
      </Button>
    </li>
  );
}

/** Where it happened. Places in the page lead to their line in the editor. */
function Place({ pageId, error: { source, line, column } }: { pageId: number; error: PageError }) {
  if (source === '' && line === null) return <>{t('unknown place')}</>;
  const name = source === '' ? t('the page') : source;
  const text = line === null ? name : t('{name}, line {line}', { name, line: String(line) });
  if (/^\w+:/.test(source) || source.startsWith('sdk/')) return <>{text}</>;
  const place = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`;
  return <Link href={`${toPageScreen(pageId)}#${encodeURIComponent(source)}${place}`}>{text}</Link>;
}

import { t, translated } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/** What may be wrong with the saved page. Each warning leads to its line. */
export function Warnings({
  work,
  goTo,
}: {
  work: EditedPage;
  goTo: (line: number, column?: number) => void;
}) {
  work.watch();
  const { warnings } = work;
  if (warnings.length === 0) return null;
  return (
    <section class="notice warn page-warnings" aria-label={t('Warnings')}>
      <header>
        <p role="status">
          <strong>
            {t('Saved, with {count|{count} warning|{count} warnings}', { count: warnings.length })}
          </strong>
        </p>
        <Button kind="bare" onClick={work.dismissWarnings}>
          {t('Dismiss')}
        </Button>
      </header>
      <ul>
        {warnings.map(({ file, line, column, message, text = message, values }, at) => (
          <li key={at}>
            {file !== undefined && <code>{line === undefined ? file : `${file}:${line}`}</code>}
            {file === undefined && line !== undefined && (
              <button type="button" onClick={() => goTo(line, column)}>
                {t('Line {line}', { line: String(line) })}
              </button>
            )}
            <span>{translated({ text, values })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

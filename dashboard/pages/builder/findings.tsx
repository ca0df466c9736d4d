import type { PageCheck } from '../../../contract/checks/page-check.ts';
import { t } from '../../texts/index.ts';

/** More than these are in the editor's own check. */
const MAX_SHOWN = 8;

/** What a browser saw of the draft: a picture, and what went wrong. */
export function Checked({ check, reason }: { check: PageCheck | null; reason: string | null }) {
  if (!check)
    return (
      <p class="notice">
        {t('Nobody has looked at the draft in a browser. {reason}', { reason: reason ?? '' })}
      </p>
    );
  const problems = [
    ...check.errors.map(({ message, line }) => ({ text: message, line })),
    ...check.console.filter(({ level }) => level === 'error').map(({ text, line }) => ({ text, line })),
    ...check.failedRequests.map(({ url, status }) => ({
      text: `${status || t('No response')} ${url}`,
      line: undefined,
    })),
  ];
  const { screenshot } = check;
  return (
    <>
      {screenshot ? (
        <img
          class="builder-picture"
          src={new URL(screenshot.url).pathname}
          width={screenshot.width}
          height={screenshot.height}
          alt={t('Screenshot of the draft')}
        />
      ) : (
        <p class="notice bad">{t('The draft could not be drawn.')}</p>
      )}
      {problems.length === 0 ? (
        <p class="builder-clean">{t('The browser reported no error.')}</p>
      ) : (
        <div class="notice warn builder-problems">
          <p>
            {t('{count|The browser reported a problem:|The browser reported {count} problems:}', {
              count: problems.length,
            })}
          </p>
          <ul>
            {problems.slice(0, MAX_SHOWN).map(({ text, line }, index) => (
              <li key={index}>
                {text}{' '}
                {line !== undefined && <span class="hint">{t('line {line}', { line: String(line) })}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

import type { PageCheck } from '../../../contract/checks/page-check.ts';
import { language, t } from '../../texts/index.ts';

const seconds = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** The screenshot, with the title of the page. */
export function Picture({ check }: { check: PageCheck }) {
  const { screenshot, title, durationMs } = check;
  const caption = `${title || t('No title')} · ${seconds.format(durationMs / 1000)} s`;
  if (!screenshot) return <p class="notice bad">{t('The page could not be drawn.')}</p>;
  // Of this picture, not of the check that may be running now.
  const viewport = screenshot.width >= screenshot.height ? 'desktop' : 'phone';
  return (
    <figure class={`page-check-picture ${viewport}`}>
      <img
        src={new URL(screenshot.url).pathname}
        width={screenshot.width}
        height={screenshot.height}
        alt={t('Screenshot of the page')}
      />
      <figcaption class="hint">{caption}</figcaption>
    </figure>
  );
}

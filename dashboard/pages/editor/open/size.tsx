import { useMemo } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES } from '../../../../contract/rules/limits.ts';
import { t } from '../../../texts/index.ts';
import { formatBytes } from '../../../ui/index.ts';
import type { EditedPage } from '../work/edited-page.ts';

/** How large the page's HTML is, of what it can be. */
export function PageSize({ work }: { work: EditedPage }) {
  work.watch();
  const html = work.settled.all.get(INDEX_PATH) ?? work.known.html;
  const size = useMemo(() => new Blob([html]).size, [html]);
  return (
    <p class={size > MAX_HTML_BYTES ? 'fault' : 'hint'}>
      {t('{size} of {limit}', { size: formatBytes(size), limit: formatBytes(MAX_HTML_BYTES) })}
    </p>
  );
}

import { t } from '../../texts/index.ts';
import { Button, formatAgo } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/** What went wrong with the last save, and what was restored from this browser. */
export function Messages({ work }: { work: EditedPage }) {
  work.watch();
  const { failure } = work;
  const { restored } = work.edits;
  return (
    <>
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      {restored && (
        <div class="notice" role="status">
          <p>
            {t('Restored unsaved changes on this device from {when}. They are based on version {version}.', {
              when: formatAgo(new Date(restored.at).toISOString()),
              version: String(restored.version),
            })}
          </p>
          <Button kind="quiet" onClick={work.discardAll}>
            {t('Discard unsaved changes')}
          </Button>
        </div>
      )}
    </>
  );
}

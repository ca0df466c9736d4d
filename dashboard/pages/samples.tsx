import { templateEndpoints } from '../../contract/templates/endpoints.ts';
import { call } from '../api.ts';
import { t } from '../texts/index.ts';
import { Button, say, useLoad } from '../ui/index.ts';

/** Says that a page still has the samples of its template, and removes them. */
export function SamplesNotice({ pageId, onRemoved }: { pageId: number; onRemoved?: () => void }) {
  const params = { id: pageId };
  const loaded = useLoad((signal) => call(templateEndpoints.getSamples, { params, signal }), [pageId]);
  if (!loaded.value?.has_samples) return null;
  const remove = async () => {
    const { has_samples } = await call(templateEndpoints.removeSamples, { params });
    loaded.set({ has_samples });
    say(
      has_samples
        ? t('Some samples stay: only the owner of the page can remove them.')
        : t('The samples are gone.'),
    );
    onRemoved?.();
  };
  return (
    <div class="notice page-samples">
      <span>{t('This page shows samples.')}</span>
      <Button kind="quiet" onClick={remove}>
        {t('Remove samples')}
      </Button>
    </div>
  );
}

import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, say } from '../../ui/index.ts';
import { type AdminPage, allowInGallery, removeFromGallery } from '../api.ts';
import { AskWhy } from '../ask.tsx';

/** Removes a page from the gallery, or lets its owner add it again. Nothing for pages that are not there. */
export function GalleryAction({ page, reload }: { page: AdminPage; reload: () => Promise<void> }) {
  const [isAsking, setAsking] = useState(false);
  const path = `/p/${page.slug}`;
  if (page.removedFromGallery) {
    const allow = async () => {
      await allowInGallery(page.id);
      say(t('The owner of {path} can add it to the gallery again.', { path }));
      await reload();
    };
    return (
      <Button kind="bare" label={t('Allow {path} in the gallery', { path })} onClick={allow}>
        {t('Allow in gallery')}
      </Button>
    );
  }
  if (!page.isListed) return null;
  return (
    <>
      <Button
        kind="bare"
        label={t('Remove {path} from the gallery', { path })}
        onClick={() => setAsking(true)}
      >
        {t('Remove from gallery')}
      </Button>
      {isAsking && (
        <AskWhy
          title={t('Remove {path} from the gallery', { path })}
          submit={t('Remove it')}
          hint={t('The owner sees this.')}
          onClose={() => setAsking(false)}
          onConfirm={async (reason) => {
            await removeFromGallery(page.id, reason);
            setAsking(false);
            say(t('{path} is not in the gallery.', { path }));
            await reload();
          }}
        >
          <p>
            {t('The page itself stays. Its owner cannot add it to the gallery again until you allow it.')}
          </p>
        </AskWhy>
      )}
    </>
  );
}

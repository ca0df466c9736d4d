import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { PagePicture } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

/** What a page can do in its frame: all that it can do for visitors, except to leave it. */
const SANDBOX = 'allow-scripts allow-forms allow-modals allow-popups';

/** The page as visitors see it. */
export function LivePage({ page, address }: { page: PageDetail; address: string }) {
  const [isLoaded, setLoaded] = useState(false);
  // The dashboard frames the service's own hosts only. A page on a domain is shown as a picture.
  const isOnDomain = new URL(address).origin !== location.origin;
  return (
    <div class={`share-page ${isLoaded || isOnDomain ? '' : 'loading'}`}>
      {isOnDomain ? (
        <PagePicture page={page} />
      ) : (
        <iframe
          src={`/p/${page.slug}`}
          title={t('The page, as visitors see it')}
          sandbox={SANDBOX}
          referrerpolicy="no-referrer"
          onLoad={() => setLoaded(true)}
        />
      )}
    </div>
  );
}

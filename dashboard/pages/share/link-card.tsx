import { useEffect, useMemo, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { getPage, type PageDetail, toPageScreen } from '../api.ts';
import { readLinkTags } from './link-tags.ts';

/** The service takes the picture of a page some seconds after it is published. */
const LOOK_EVERY_MS = 3_000;
const MAX_LOOKS = 15;

interface LinkCardProps {
  page: PageDetail;
  address: string;
  /** Called when the service has taken a picture of the page. */
  onPicture: (page: PageDetail) => void;
}

/** What a link to the page looks like in a chat. */
export function LinkCard({ page, address, onPicture }: LinkCardProps) {
  const tags = useMemo(() => readLinkTags(page.html_content), [page.html_content]);
  const own = tags.image ?? page.preview_image;
  const isWaiting = useTaking(page, own === undefined || own === null, onPicture);
  const image = own ?? page.picture?.url;
  const [isBroken, setBroken] = useState(false);
  const description = tags.description ?? page.description;
  return (
    <section class="share-link" aria-labelledby="share-link-title">
      <header>
        <h3 id="share-link-title">{t('How a link to it looks')}</h3>
        <Link href={toPageScreen(page.id, 'settings')}>{t('Change')}</Link>
      </header>
      <div class="share-card">
        {image && isShowable(image) && !isBroken ? (
          <img src={image} alt="" width="1200" height="630" onError={() => setBroken(true)} />
        ) : (
          isWaiting && <div class="share-card-wait">{t('Taking a picture…')}</div>
        )}
        <div>
          <strong>{tags.title ?? page.name}</strong>
          {description && <p>{description}</p>}
          <span>{new URL(address).host}</span>
        </div>
      </div>
    </section>
  );
}

/** The dashboard shows no pictures of other servers: they would learn who looks at them. */
function isShowable(image: string): boolean {
  return URL.parse(image, location.href)?.origin === location.origin;
}

/** Looks for the picture of the page until there is one. True while there is hope. */
function useTaking(page: PageDetail, isWanted: boolean, onPicture: (page: PageDetail) => void): boolean {
  const isOpen = page.is_published && page.access.mode === 'public';
  const [looks, setLooks] = useState(0);
  const isTaking = isWanted && isOpen && !page.picture && looks < MAX_LOOKS;
  useEffect(() => {
    if (!isTaking) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const fresh = await getPage(page.id, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      if (fresh?.picture) onPicture(fresh);
      setLooks(looks + 1);
    }, LOOK_EVERY_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [isTaking, looks]);
  return isTaking;
}

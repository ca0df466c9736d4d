import { useEffect, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { toPageScreen } from '../api.ts';
import { countOtherVisitors } from './api.ts';

/** How often to look for visitors: often at first, when somebody waits for it. */
const SOON_MS = 3_000;
const LATER_MS = 15_000;
const SOON_LOOKS = 100;

/** Says when somebody other than the owner opens the page, while it is shown. */
export function FirstVisitor({ pageId }: { pageId: number }) {
  const { count, hasArrived } = useVisitors(pageId);
  const kind = hasArrived ? 'arrived' : count > 0 ? 'known' : 'waiting';
  return (
    <div class={`share-visitor ${kind}`}>
      <span class="share-pulse" aria-hidden="true">
        {hasArrived && SPARKS.map((spark) => <i key={spark} style={{ '--turn': `${spark * 45}deg` }} />)}
      </span>
      <p role="status">{sayVisitors(count, hasArrived)}</p>
      {count > 0 && <Link href={toPageScreen(pageId, 'analytics')}>{t('Analytics')}</Link>}
    </div>
  );
}

const SPARKS = [0, 1, 2, 3, 4, 5, 6, 7];

function sayVisitors(count: number, hasArrived: boolean): string {
  if (count === 0) return t('Waiting for your first visitor…');
  if (!hasArrived) return t('{count|{count} visitor today|{count} visitors today}', { count });
  return count === 1
    ? t('Somebody is here!')
    : t('Somebody is here! {count} visitors today.', { count: String(count) });
}

function useVisitors(pageId: number) {
  const [count, setCount] = useState(0);
  const [hasArrived, setArrived] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before: number | undefined;
    let looks = 0;
    const look = async () => {
      if (document.visibilityState === 'visible') {
        looks++;
        try {
          const now = await countOtherVisitors(pageId, stop.signal);
          if (before !== undefined && now > before) setArrived(true);
          before = Math.max(now, before ?? 0);
          setCount(before);
        } catch {
          // Without a connection nobody can say who came. The next look may.
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(look, looks < SOON_LOOKS ? SOON_MS : LATER_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [pageId]);
  return { count, hasArrived };
}

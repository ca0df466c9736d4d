import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty } from '../../ui/index.ts';
import { BUILD_SCREEN } from '../../wish/index.ts';
import { newPage } from './new-page.ts';
import { Stage } from './stage.tsx';

/** Where a new page is built: `/pages/build`, and `/pages/build/<id>` as soon as there is a page. */
export function BuildScreen({ id }: { id: number | undefined }) {
  const { status, pageId, refusal } = newPage.state.value;
  /** True if the page was described on this screen, and not on one that was left. */
  const isStarted = useRef(false);
  if (status === 'starting') isStarted.current = true;
  useEffect(() => {
    if (id !== undefined) newPage.open(id);
    return newPage.close;
  }, [id]);
  const isShown = id !== undefined || status === 'starting' || status === 'refused';
  useEffect(() => {
    if (isShown) return;
    const isBuilt = isStarted.current && status === 'open';
    if (!isBuilt) newPage.reset();
    navigate(isBuilt ? `${BUILD_SCREEN}/${pageId}` : '/pages/new', { replace: true });
  }, [isShown, status, pageId]);

  if (id !== undefined && refusal instanceof ApiError && refusal.status === 404)
    return (
      <Empty title={t('Page not found')} action={<Link href="/pages">{t('Go to your pages')}</Link>}>
        {t('You have no page at this URL.')}
      </Empty>
    );
  return isShown ? <Stage key={id} builder={newPage} id={id} /> : null;
}

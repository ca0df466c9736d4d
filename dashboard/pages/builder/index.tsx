import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty, Icon, ScreenHead, useLoad } from '../../ui/index.ts';
import { BUILD_SCREEN, WishBox } from '../../wish/index.ts';
import { getBuilder } from './api.ts';
import { newPage } from './new-page.ts';
import { Stage } from './stage.tsx';

/** Where a new page is described, and where one is built: `/pages/build/<id>`. */
export function BuildScreen({ id }: { id: number | undefined }) {
  const { status, pageId, refusal } = newPage.state.value;
  /** True if the page was described on this screen, and not on one that was left. */
  const isStarted = useRef(false);
  if (status === 'starting') isStarted.current = true;
  useEffect(() => {
    if (id !== undefined) newPage.open(id);
    return newPage.close;
  }, [id]);
  useEffect(() => {
    if (id !== undefined || status !== 'open') return;
    if (isStarted.current) navigate(`${BUILD_SCREEN}/${pageId}`, { replace: true });
    else newPage.reset();
  }, [id, status, pageId]);

  if (id !== undefined && refusal instanceof ApiError && refusal.status === 404)
    return (
      <Empty title={t('Page not found')} action={<Link href="/pages">{t('Go to your pages')}</Link>}>
        {t('You have no page at this URL.')}
      </Empty>
    );
  if (id !== undefined || status === 'starting' || status === 'refused')
    return <Stage key={id} builder={newPage} id={id} />;
  return (
    <div class="builder-screen">
      <ScreenHead title={t('New page')} back={{ href: '/pages', label: t('Pages') }} />
      <UnderWay />
      <WishBox />
    </div>
  );
}

/** Pages that the builder is working on, which this person started here or on another device. */
function UnderWay() {
  const { value } = useLoad(getBuilder, []);
  if (!value || value.underWay.length === 0) return null;
  return (
    <ul class="builder-under-way" aria-label={t('Being built')}>
      {value.underWay.map(({ id, name }) => (
        <li key={id}>
          <Link href={`${BUILD_SCREEN}/${id}`}>
            <Icon name="sparkle" size={18} />
            <span>{name}</span>
            <span class="faint">{t('Being built')}</span>
            <Icon name="chevron-right" size={18} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

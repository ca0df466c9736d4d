import { Link } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { Icon, lazy, NotFound, ScreenHead, Show, Skeleton, useLoad } from '../ui/index.ts';
import { WishBox } from '../wish/index.ts';
import { type Everything, readEverything } from './api.ts';
import { Attention } from './attention.tsx';
import { Figures } from './figures.tsx';
import { News } from './news.tsx';
import { RecentFunctions, RecentPages } from './recent.tsx';
import { Start } from './start.tsx';
import { Visitors } from './visitors.tsx';

const FirstSteps = lazy(
  () => import('../first-steps/index.tsx').then((file) => file.FirstStepsList),
  () => null,
);

/** The home screen: what happened, what waits, and what somebody worked on last. */
export function HomeScreens({ parts }: { parts: string[] }) {
  const loaded = useLoad(readEverything, []);
  if (parts.length > 0) return <NotFound />;
  const isNew = loaded.value !== undefined && isUnused(loaded.value);
  return (
    <>
      <ScreenHead
        title={isNew && me.value ? t('Welcome, {name}', { name: me.value.username }) : t('Home')}
        {...(!isNew && { actions: <QuickActions /> })}
      />
      <Show loaded={loaded} skeleton={<HomeSkeleton />}>
        {(everything) =>
          isUnused(everything) ? (
            <>
              <Start />
              <Attention {...everything} />
            </>
          ) : (
            <Overview {...everything} />
          )
        }
      </Show>
      {me.value?.isAdmin && <FirstSteps />}
    </>
  );
}

const isUnused = ({ home, pages, functions }: Everything) =>
  home.pages === 0 && pages.length === 0 && functions.length === 0;

function Overview({ home, pages, functions }: Everything) {
  return (
    <div class="home">
      <WishBox />
      <Visitors />
      <Figures home={home} />
      <Attention home={home} functions={functions} />
      <RecentPages pages={pages} />
      <div class="home-columns">
        <RecentFunctions functions={functions} failing={home.failingFunctions} />
        <News />
      </div>
    </div>
  );
}

function QuickActions() {
  return (
    <>
      <Link href="/connect" class="button quiet">
        <Icon name="connect" /> {t('Connect an agent')}
      </Link>
      <Link href="/functions/_new" class="button quiet">
        <Icon name="function" /> {t('New function')}
      </Link>
      <Link href="/pages/new" class="button primary">
        <Icon name="plus" /> {t('New page')}
      </Link>
    </>
  );
}

/** As large as what follows, so that nothing moves. */
function HomeSkeleton() {
  return (
    <div class="home">
      <div class="home-box skeleton-block" />
      <div class="home-figures skeleton-block" role="status" aria-label={t('Loading')} />
      <Skeleton lines={8} />
    </div>
  );
}

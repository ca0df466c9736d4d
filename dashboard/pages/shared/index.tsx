import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Badge,
  Empty,
  Failure,
  formatAgo,
  formatMoment,
  Icon,
  lazy,
  ScreenHead,
  Section,
  Show,
  Skeleton,
  Tabs,
  useLoad,
} from '../../ui/index.ts';
import { getSharedPage, type SharedPage } from '../api.ts';
import { allowedBy, nameOfRole } from './allowed.ts';
import { LeaveButton } from './leave.tsx';

const TeamScreen = lazy(() => import('../teams/index.tsx').then((file) => file.TeamScreen));

interface Props {
  id: number;
  parts: string[];
  /** Why the user cannot edit the page. */
  error: Error;
}

/** A page of somebody else, for those who use it and do not edit it. */
export function SharedScreens({ id, parts, error }: Props) {
  // Null, because an undefined value means that it is loading.
  const loaded = useLoad(async (signal) => (await getSharedPage(id, signal)) ?? null, [id]);
  if (loaded.value) return <Shared page={loaded.value} parts={parts} />;
  return (
    <>
      <ScreenHead title={t('Page')} back={{ href: '/pages', label: t('Pages') }} />
      <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
        {() => <Failure error={error} />}
      </Show>
    </>
  );
}

function Shared({ page, parts: [part = '', ...rest] }: { page: SharedPage; parts: string[] }) {
  const hasTeam = page.role !== null && page.can_see;
  const tabs: Array<[string, string]> = [
    ['', t('Overview')],
    ...(hasTeam ? [['team', t('Team')] as [string, string]] : []),
  ];
  const isKnown = rest.length === 0 && tabs.some(([name]) => name === part);
  return (
    <>
      <ScreenHead
        title={page.name}
        back={{ href: '/pages', label: t('Pages') }}
        note={
          <span class="shared-note">
            {t('A page by {owner}', { owner: page.owner.username })} <Badge>{nameOfRole(page.role)}</Badge>
          </span>
        }
        actions={
          page.can_see && (
            <a class="button primary" href={page.url} target="_blank" rel="noopener">
              <Icon name="external" size={18} />
              {t('Open page')}
            </a>
          )
        }
      />
      {tabs.length > 1 && <Tabs base={`/pages/${page.id}`} tabs={tabs} current={part} />}
      {!isKnown ? (
        <Empty
          title={t('Not for your role')}
          action={<Link href={`/pages/${page.id}`}>{t('Go to the overview')}</Link>}
        >
          {t('Only the owner of this page and the admins of its team can open this screen.')}
        </Empty>
      ) : part === 'team' ? (
        <TeamScreen page={{ id: page.id, name: page.name, storageMode: page.storage_mode }} />
      ) : (
        <Overview page={page} />
      )}
    </>
  );
}

function Overview({ page }: { page: SharedPage }) {
  return (
    <Section
      title={page.role ? t('What you can do') : t('You can see this page')}
      hint={
        page.role && page.since
          ? t('You joined the team {when}.', { when: formatAgo(page.since) })
          : t('{owner} named you as one who can see it.', { owner: page.owner.username })
      }
      {...(page.role && { actions: <LeaveButton page={page} /> })}
    >
      {!page.can_see && (
        <div class="notice warn">
          <p>
            {t(
              'You cannot see the page at the moment: it has a password, has expired, or is only for others. Ask {owner}.',
              {
                owner: page.owner.username,
              },
            )}
          </p>
        </div>
      )}
      <ul class="shared-allowed">
        {allowedBy(page.role).map((text) => (
          <li key={text}>
            <Icon name="check" size={18} />
            {text}
          </li>
        ))}
      </ul>
      <p class="hint" title={formatMoment(page.updated_at)}>
        {t('Last changed {when}.', { when: formatAgo(page.updated_at) })}
      </p>
    </Section>
  );
}

import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Empty, Show, Skeleton, useLoad } from '../../ui/index.ts';
import { listInvites, listMembers, type Member, type TeamPage } from './api.ts';
import { FilesSection } from './files.tsx';
import { InvitesSection } from './invites.tsx';
import { MembersSection } from './members.tsx';
import { mayManage } from './roles.ts';

/** The members of a team, its invites and its files. */
export function TeamScreen({ page }: { page: TeamPage }) {
  if (page.storageMode === 'team_app') return <Team page={page} />;
  return (
    <Empty
      title={t('This page has no team')}
      action={
        <Link class="button quiet" href={`/pages/${page.id}/settings`}>
          {t('Choose a storage mode')}
        </Link>
      }
    >
      {t(
        'Only team apps have a team: people you invite share the data and files of the page. You can change the storage mode in the settings.',
      )}
    </Empty>
  );
}

function Team({ page }: { page: TeamPage }) {
  const members = useLoad((signal) => listMembers(page.id, signal), [page.id]);
  return (
    <Show loaded={members} skeleton={<Skeleton kind="rows" lines={5} />}>
      {(list) => <TeamSections page={page} members={list} onMembers={members.reload} />}
    </Show>
  );
}

interface Props {
  page: TeamPage;
  members: Member[];
  onMembers: () => Promise<void>;
}

function TeamSections({ page, members, onMembers }: Props) {
  const mine = members.find(({ user }) => user.id === me.value?.id)?.role ?? 'viewer';
  const isManager = !page.branch && mayManage(mine, 'viewer');
  const invites = useLoad(
    async (signal) => (isManager ? listInvites(page.id, signal) : { invites: [], sendsMail: false }),
    [page.id, isManager],
  );
  // Lowering a role or removing a member also revokes the open invites.
  const changed = async () => {
    await Promise.all([onMembers(), invites.reload()]);
  };
  return (
    <div class="team stacks">
      {page.branch ? (
        <TeamElsewhere of={page.branch.of} />
      ) : (
        <MembersSection
          page={page}
          members={members}
          mine={mine}
          hasInvites={(invites.value?.invites.length ?? 0) > 0}
          onChanged={changed}
        />
      )}
      {isManager && <InvitesSection page={page} mine={mine} invites={invites} />}
      <FilesSection page={page} mine={mine} />
    </div>
  );
}

/** A branch has the team of its page. */
const TeamElsewhere = ({ of }: { of: number }) => (
  <Empty
    title={t('A branch has the team of its page')}
    action={
      <Link class="button quiet" href={`/pages/${of}/team`}>
        {t('Team of the page')}
      </Link>
    }
  >
    {t('Whoever joins or leaves the team there, joins or leaves it here. The files are the branch’s own.')}
  </Empty>
);

import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  type Column,
  Empty,
  formatAgo,
  formatMoment,
  formatNumber,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../../ui/index.ts';
import { type Invite, listInvites, type RegistrationMode, revokeInvite } from '../api.ts';
import { Ask } from '../ask.tsx';
import { NewInviteDialog } from './new-invite.tsx';

/** Lists, makes and revokes invites. */
export function Invites({ mode }: { mode: RegistrationMode | undefined }) {
  const invites = useLoad(listInvites, []);
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Invite>();
  return (
    <Section
      title="Invites"
      hint={
        mode === 'closed'
          ? 'Registration is closed, so invites do not work. They work again when you change that.'
          : 'Links that let a limited number of people create an account.'
      }
      actions={<Button onClick={() => setMaking(true)}>Make an invite</Button>}
    >
      <Show loaded={invites}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="mail" title="No invites">
              An invite lets people register while registration is by invite.
            </Empty>
          ) : (
            <div class="stacks">
              <Table caption="Invites" rows={list} keyOf={({ id }) => id} columns={columns(setRevoking)} />
            </div>
          )
        }
      </Show>
      {isMaking && <NewInviteDialog onClose={() => setMaking(false)} onMade={invites.reload} />}
      {revoking && (
        <Ask
          title="Revoke this invite"
          submit="Revoke it"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeInvite(revoking.id);
            setRevoking(undefined);
            say('The invite is revoked.');
            await invites.reload();
          }}
        >
          <p>Nobody else can register with it. Accounts that were created with it stay.</p>
        </Ask>
      )}
    </Section>
  );
}

const columns = (onRevoke: (invite: Invite) => void): Array<Column<Invite>> => [
  {
    title: 'For',
    cell: ({ note, email }) => (
      <div class="admin-name">
        <strong>{email ?? (note || 'Anyone with the link')}</strong>
        {email && note && <div class="faint">{note}</div>}
      </div>
    ),
  },
  {
    title: 'Used',
    cell: ({ uses, maxUses }) => `${formatNumber(uses)} of ${formatNumber(maxUses)}`,
    isNumber: true,
  },
  {
    title: 'Valid',
    cell: ({ isUsable, expiresAt, uses, maxUses }) =>
      isUsable ? (
        <span title={formatMoment(expiresAt)}>until {formatMoment(expiresAt)}</span>
      ) : (
        <Badge>{uses >= maxUses ? 'Used up' : `Expired ${formatAgo(expiresAt)}`}</Badge>
      ),
    isMinor: true,
  },
  { title: 'Made by', cell: ({ createdBy }) => createdBy ?? 'The operator', isMinor: true },
  {
    title: 'Actions',
    cell: (invite) =>
      invite.isUsable && (
        <Button
          kind="quiet"
          label={`Revoke the invite for ${invite.email ?? (invite.note || 'anyone')}`}
          onClick={() => onRevoke(invite)}
        >
          Revoke
        </Button>
      ),
  },
];

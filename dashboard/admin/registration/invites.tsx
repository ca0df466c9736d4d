import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Empty,
  formatAgo,
  formatDate,
  formatMoment,
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
      title={t('Invites')}
      hint={
        mode === 'closed'
          ? t('Registration is closed, so invites do not work. They work again when you change that.')
          : t('Links that let a limited number of people create an account.')
      }
      actions={<Button onClick={() => setMaking(true)}>{t('New invite')}</Button>}
    >
      <Show loaded={invites}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="mail" title={t('No invites')}>
              {t('An invite lets people register while registration is by invite.')}
            </Empty>
          ) : (
            <div class="stacks">
              <Table
                caption={t('Invites')}
                rows={list}
                getKey={({ id }) => id}
                columns={columns(setRevoking)}
              />
            </div>
          )
        }
      </Show>
      {isMaking && <NewInviteDialog onClose={() => setMaking(false)} onMade={invites.reload} />}
      {revoking && (
        <Ask
          title={t('Revoke this invite')}
          submit={t('Revoke it')}
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeInvite(revoking.id);
            setRevoking(undefined);
            say(t('The invite is revoked.'));
            await invites.reload();
          }}
        >
          <p>{t('Nobody else can register with it. Accounts that were created with it stay.')}</p>
        </Ask>
      )}
    </Section>
  );
}

const columns = (onRevoke: (invite: Invite) => void): Array<Column<Invite>> => [
  {
    title: t('For'),
    cell: ({ note, email }) => (
      <div class="admin-name">
        <strong>{email ?? (note || t('Anyone with the link'))}</strong>
        {email && note && <div class="faint">{note}</div>}
      </div>
    ),
  },
  {
    title: t('Used'),
    cell: ({ uses, maxUses }) => t('{uses} of {limit}', { uses, limit: maxUses }),
    isNumber: true,
  },
  {
    title: t('Expires'),
    cell: ({ isUsable, expiresAt, uses, maxUses }) =>
      isUsable ? (
        <span class="admin-time" title={formatMoment(expiresAt)}>
          {formatDate(expiresAt)}
        </span>
      ) : (
        <Badge>{uses >= maxUses ? t('Used up') : t('Expired {ago}', { ago: formatAgo(expiresAt) })}</Badge>
      ),
  },
  { title: t('Created by'), cell: ({ createdBy }) => createdBy ?? t('The operator'), isMinor: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: (invite) =>
      invite.isUsable && (
        <Button
          kind="bare"
          label={t('Revoke the invite for {name}', { name: invite.email ?? (invite.note || t('anyone')) })}
          onClick={() => onRevoke(invite)}
        >
          {t('Revoke')}
        </Button>
      ),
  },
];

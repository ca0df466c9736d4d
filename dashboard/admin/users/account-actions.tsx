import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, ConfirmByTyping, formatMoment, Section, Switch, say } from '../../ui/index.ts';
import { deleteUser, restoreUser, setAdministrator, suspendUser } from '../api.ts';
import { Ask, AskWhy } from '../ask.tsx';
import { GiveCredits } from './credits.tsx';
import type { UserPart } from './part.tsx';

type AccountAction = 'credits' | 'role' | 'suspend' | 'restore' | 'delete';

/** Actions that change the whole account, each with an explanation. */
export function AccountActions({ user, isSelf, reload }: UserPart) {
  const [asked, setAsked] = useState<AccountAction>();
  const close = () => setAsked(undefined);
  const finish = async (text: string) => {
    close();
    say(text);
    await reload();
  };
  return (
    <Section title={t('Actions')}>
      <ul class="admin-action-list">
        <ActionItem title={t('Credits')} text={t('Pages use credits for AI chat and images.')}>
          <Button
            kind="quiet"
            label={t('Give credits to {username}', { username: user.username })}
            onClick={() => setAsked('credits')}
          >
            {t('Give credits')}
          </Button>
        </ActionItem>
        <ActionItem
          title={user.isAdmin ? t('Administrator') : t('Ordinary user')}
          text={t('Administrators can see and change everything on these screens, for all users.')}
        >
          <Button kind="quiet" onClick={() => setAsked('role')}>
            {user.isAdmin ? t('Make an ordinary user') : t('Make an administrator')}
          </Button>
        </ActionItem>
        <EndingActions {...{ user, isSelf, setAsked }} />
      </ul>
      <Questions {...{ user, isSelf, reload, close, finish, asked }} />
    </Section>
  );
}

/** Suspending and deleting the account, and undoing that. */
function EndingActions({
  user,
  isSelf,
  setAsked,
}: Omit<UserPart, 'reload'> & { setAsked(asked: AccountAction): void }) {
  return (
    <>
      <ActionItem
        title={user.suspendedAt ? t('Suspended') : t('Suspend')}
        text={t(
          'Nobody can log in to a suspended account, see its pages or call its functions. Nothing is deleted.',
        )}
      >
        {user.suspendedAt ? (
          <Button kind="quiet" onClick={() => setAsked('restore')}>
            {t('End the suspension')}
          </Button>
        ) : (
          <Button kind="danger" disabled={isSelf} onClick={() => setAsked('suspend')}>
            {t('Suspend the account')}
          </Button>
        )}
      </ActionItem>
      <ActionItem
        title={user.removalDueAt ? t('To be deleted') : t('Delete')}
        text={t(
          'Deletes the account with its pages, data, files, functions and databases. The user has 7 days to keep it by logging in, unless you delete it at once.',
        )}
      >
        {user.removalDueAt && !user.suspendedAt && (
          <Button kind="quiet" onClick={() => setAsked('restore')}>
            {t('Keep the account')}
          </Button>
        )}
        <Button kind="danger" disabled={isSelf} onClick={() => setAsked('delete')}>
          {user.removalDueAt ? t('Delete at once') : t('Delete the account')}
        </Button>
      </ActionItem>
    </>
  );
}

function Questions({ asked, ...part }: AskProps & { asked: AccountAction | undefined }) {
  switch (asked) {
    case 'credits':
      return <GiveCredits user={part.user} onClose={part.close} onGiven={part.finish} />;
    case 'role':
      return <AskRole {...part} />;
    case 'suspend':
      return <AskSuspend {...part} />;
    case 'restore':
      return <AskRestore {...part} />;
    case 'delete':
      return <AskDelete {...part} />;
    default:
      return null;
  }
}

function ActionItem({ title, text, children }: { title: string; text: string; children: ComponentChildren }) {
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p class="hint">{text}</p>
      </div>
      <div class="actions">{children}</div>
    </li>
  );
}

type AskProps = UserPart & { close: () => void; finish: (text: string) => Promise<void> };

function AskRole({ user, close, finish }: AskProps) {
  const { username, isAdmin } = user;
  return (
    <Ask
      title={
        isAdmin
          ? t('Make {username} an ordinary user', { username })
          : t('Make {username} an administrator', { username })
      }
      submit={isAdmin ? t('Make an ordinary user') : t('Make an administrator')}
      onClose={close}
      onConfirm={async () => {
        await setAdministrator(user.id, !isAdmin);
        await finish(
          isAdmin
            ? t('{username} is an ordinary user now.', { username })
            : t('{username} is an administrator now.', { username }),
        );
      }}
    >
      <p>
        {isAdmin
          ? t('{username} loses access to these screens at once.', { username })
          : t('{username} can then do everything that you can do here, including changes to your account.', {
              username,
            })}
      </p>
    </Ask>
  );
}

function AskSuspend({ user, close, finish }: AskProps) {
  return (
    <AskWhy
      title={t('Suspend {username}', { username: user.username })}
      submit={t('Suspend the account')}
      hint={t('{username} sees this when they try to log in.', { username: user.username })}
      onClose={close}
      onConfirm={async (reason) => {
        await suspendUser(user.id, reason);
        await finish(t('{username} is suspended.', { username: user.username }));
      }}
    >
      <p>{t('Their pages and functions stop at once. You can end the suspension at any time.')}</p>
    </AskWhy>
  );
}

function AskRestore({ user, close, finish }: AskProps) {
  const isSuspended = user.suspendedAt !== null;
  return (
    <Ask
      title={
        isSuspended
          ? t('End the suspension of {username}', { username: user.username })
          : t('Keep the account {username}', { username: user.username })
      }
      submit={isSuspended ? t('End the suspension') : t('Keep the account')}
      onClose={close}
      onConfirm={async () => {
        await restoreUser(user.id);
        await finish(t('{username} can use the account again.', { username: user.username }));
      }}
    >
      <p>{t('Logins, tokens, pages and functions work again as before.')}</p>
    </Ask>
  );
}

function AskDelete({ user, close, finish }: AskProps) {
  const [isNow, setNow] = useState(user.removalDueAt !== null);
  const confirm = async () => {
    const { dueAt } = await deleteUser(user.id, isNow);
    if (dueAt !== null)
      return finish(
        t('{username} will be deleted on {moment}.', {
          username: user.username,
          moment: formatMoment(dueAt),
        }),
      );
    close();
    say(t('{username} is deleted.', { username: user.username }));
    navigate('/admin/users');
  };
  return (
    <ConfirmByTyping
      title={t('Delete {username}', { username: user.username })}
      phrase={user.username}
      submit={isNow ? t('Delete at once') : t('Delete the account')}
      onConfirm={confirm}
      onClose={close}
    >
      <p>
        {t(
          'This deletes everything in the account: pages, data, files, functions and databases. The audit log records it.',
        )}
      </p>
      {user.removalDueAt === null && (
        <div class="admin-switch">
          <Switch
            label={t('Delete at once')}
            hint={t('Otherwise the user has 7 days to keep it by logging in.')}
            checked={isNow}
            onChange={setNow}
          />
        </div>
      )}
    </ConfirmByTyping>
  );
}

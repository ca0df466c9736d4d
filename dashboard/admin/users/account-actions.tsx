import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Button, ConfirmByTyping, formatMoment, Section, Switch, say } from '../../ui/index.ts';
import { deleteUser, restoreUser, setAdministrator, suspendUser } from '../api.ts';
import { Ask, AskWhy } from '../ask.tsx';
import { GiveCredits } from './credits.tsx';
import type { UserPart } from './part.tsx';

type Asked = 'credits' | 'role' | 'suspend' | 'restore' | 'delete';

/** Actions that change the whole account, each with an explanation. */
export function AccountActions({ user, isSelf, reload }: UserPart) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const finish = async (text: string) => {
    close();
    say(text);
    await reload();
  };
  return (
    <Section title="Actions">
      <ul class="admin-action-list">
        <ActionItem title="Credits" text="Pages use credits for AI chat and images.">
          <Button kind="quiet" label={`Give credits to ${user.username}`} onClick={() => setAsked('credits')}>
            Give credits
          </Button>
        </ActionItem>
        <ActionItem
          title={user.isAdmin ? 'Administrator' : 'Ordinary user'}
          text="Administrators can see and change everything on these screens, for all users."
        >
          <Button kind="quiet" onClick={() => setAsked('role')}>
            {user.isAdmin ? 'Make an ordinary user' : 'Make an administrator'}
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
}: Omit<UserPart, 'reload'> & { setAsked(asked: Asked): void }) {
  return (
    <>
      <ActionItem
        title={user.suspendedAt ? 'Suspended' : 'Suspend'}
        text="Nobody can log in to a suspended account, see its pages or call its functions. Nothing is deleted."
      >
        {user.suspendedAt ? (
          <Button kind="quiet" onClick={() => setAsked('restore')}>
            End the suspension
          </Button>
        ) : (
          <Button kind="danger" disabled={isSelf} onClick={() => setAsked('suspend')}>
            Suspend the account
          </Button>
        )}
      </ActionItem>
      <ActionItem
        title={user.removalDueAt ? 'To be deleted' : 'Delete'}
        text="Deletes the account with its pages, data, files, functions and databases. The user has 7 days to keep it by logging in, unless you delete it at once."
      >
        {user.removalDueAt && !user.suspendedAt && (
          <Button kind="quiet" onClick={() => setAsked('restore')}>
            Keep the account
          </Button>
        )}
        <Button kind="danger" disabled={isSelf} onClick={() => setAsked('delete')}>
          {user.removalDueAt ? 'Delete at once' : 'Delete the account'}
        </Button>
      </ActionItem>
    </>
  );
}

function Questions({ asked, ...part }: AskProps & { asked: Asked | undefined }) {
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
  const becomes = user.isAdmin ? 'an ordinary user' : 'an administrator';
  return (
    <Ask
      title={`Make ${user.username} ${becomes}`}
      submit={`Make ${becomes}`}
      onClose={close}
      onConfirm={async () => {
        await setAdministrator(user.id, !user.isAdmin);
        await finish(`${user.username} is ${becomes} now.`);
      }}
    >
      <p>
        {user.isAdmin
          ? `${user.username} loses access to these screens at once.`
          : `${user.username} can then do everything that you can do here, including changes to your account.`}
      </p>
    </Ask>
  );
}

function AskSuspend({ user, close, finish }: AskProps) {
  return (
    <AskWhy
      title={`Suspend ${user.username}`}
      submit="Suspend the account"
      hint={`${user.username} sees this when they try to log in.`}
      onClose={close}
      onConfirm={async (reason) => {
        await suspendUser(user.id, reason);
        await finish(`${user.username} is suspended.`);
      }}
    >
      <p>Their pages and functions stop at once. You can end the suspension at any time.</p>
    </AskWhy>
  );
}

function AskRestore({ user, close, finish }: AskProps) {
  const isSuspended = user.suspendedAt !== null;
  return (
    <Ask
      title={isSuspended ? `End the suspension of ${user.username}` : `Keep the account ${user.username}`}
      submit={isSuspended ? 'End the suspension' : 'Keep the account'}
      onClose={close}
      onConfirm={async () => {
        await restoreUser(user.id);
        await finish(`${user.username} can use the account again.`);
      }}
    >
      <p>Logins, tokens, pages and functions work again as before.</p>
    </Ask>
  );
}

function AskDelete({ user, close, finish }: AskProps) {
  const [isNow, setNow] = useState(user.removalDueAt !== null);
  const confirm = async () => {
    const { dueAt } = await deleteUser(user.id, isNow);
    if (dueAt !== null) return finish(`${user.username} will be deleted on ${formatMoment(dueAt)}.`);
    close();
    say(`${user.username} is deleted.`);
    navigate('/admin/users');
  };
  return (
    <ConfirmByTyping
      title={`Delete ${user.username}`}
      phrase={user.username}
      submit={isNow ? 'Delete at once' : 'Delete the account'}
      onConfirm={confirm}
      onClose={close}
    >
      <p>
        This deletes everything in the account: pages, data, files, functions and databases. The audit log
        records it.
      </p>
      {user.removalDueAt === null && (
        <div class="admin-switch">
          <Switch
            label="Delete at once"
            hint="Otherwise the user has 7 days to keep it by logging in."
            checked={isNow}
            onChange={setNow}
          />
        </div>
      )}
    </ConfirmByTyping>
  );
}

import type { ActivityEntry, AuditRecord } from '../../contract/admin/audit.ts';
import { t } from '../texts/index.ts';
import { formatBytes } from './format.ts';

/** Entries of the audit log as sentences. */

type LoggedAction = Pick<ActivityEntry, 'actor' | 'action' | 'target' | 'details'>;

const MODES: Record<string, string> = {
  open: t('opened registration to everyone'),
  invite: t('opened registration to people with an invite'),
  closed: t('closed registration'),
};

const PROVIDERS: Record<string, string> = {
  mail: t('mail'),
  'single-sign-on': t('single sign on'),
  chat: t('chat'),
  images: t('images'),
  'image-search': t('image search'),
  browser: t('browser'),
  packages: t('packages'),
};

/** How the log calls a backup that was made for its download. */
const UNNAMED_BACKUP = 'a new backup';

const detail = (entry: LoggedAction, name: string) => {
  const value = entry.details[name];
  return value === undefined || value === null ? '' : String(value);
};
const count = (entry: LoggedAction, name: string) => Number(entry.details[name] ?? 0);

/** What somebody did, without their name. An action that is not in this table is shown by its code. */
const SENTENCES: Record<string, (name: string, entry: LoggedAction) => string> = {
  'user.set_up': () => t('became an administrator with the setup link'),
  'user.suspend': (name) => t('suspended {name}', { name }),
  'user.restore': (name) => t('ended the suspension of {name}', { name }),
  'user.promote': (name) => t('made {name} an administrator', { name }),
  'user.demote': (name) => t('made {name} an ordinary user', { name }),
  'user.make_reset_link': (name) => t('created a link to reset the password of {name}', { name }),
  'user.reset': (name) => t('created a link to reset the password of {name}', { name }),
  'user.second_factor_off': (name) => t('turned off the second factor of {name}', { name }),
  'user.end_sessions': (name) => t('logged {name} out everywhere', { name }),
  'user.set_quota': (name, entry) => {
    const quota = describeQuota(entry);
    return quota
      ? t('set the quota of {name} to {quota}', { name, quota })
      : t('set the quota of {name} to the default', { name });
  },
  'user.grant_credits': (name, entry) =>
    t('gave {count|{count} credit|{count} credits} to {name}', { name, count: count(entry, 'credits') }),
  'user.delete': (name) => t('asked to delete the account {name}', { name }),
  'user.leave': () => t('asked to delete their account'),
  'user.keep': (name) => t('kept the account {name}', { name }),
  'user.remove': (name) => t('deleted the account {name}', { name }),
  'page.claim': (slug) => t('claimed the page /p/{slug}', { slug }),
  'page.take_down': (slug) => t('took down the page /p/{slug}', { slug }),
  'page.restore': (slug) => t('restored the page /p/{slug}', { slug }),
  'page.report': (slug) => t('noted that a visitor has reported the page /p/{slug}', { slug }),
  'page.dismiss_reports': (slug, entry) =>
    t('dismissed {count|a report|{count} reports} of the page /p/{slug}', {
      slug,
      count: count(entry, 'reports'),
    }),
  'page.answer_report': (slug) => t('answered a report of the page /p/{slug}', { slug }),
  'page.remove_from_gallery': (slug) => t('removed the page /p/{slug} from the gallery', { slug }),
  'page.allow_in_gallery': (slug) => t('allowed the page /p/{slug} in the gallery', { slug }),
  'function.take_down': (name) => t('took down the function {name}', { name }),
  'function.restore': (name) => t('restored the function {name}', { name }),
  'registration.change': (_, entry) => {
    const mode = detail(entry, 'to');
    return MODES[mode] ?? t('set registration to {mode}', { mode });
  },
  'invite.create': (note) => (note ? t('created an invite for “{note}”', { note }) : t('created an invite')),
  'invite.revoke': (note) => (note ? t('revoked an invite for “{note}”', { note }) : t('revoked an invite')),
  'instance.change': () => t('changed how this server presents itself'),
  'backup.make': (name) => t('started a backup, {name}', { name }),
  'backup.download': (name) =>
    name === UNNAMED_BACKUP ? t('downloaded a new backup') : t('downloaded the backup {name}', { name }),
  'backup.delete': (name) => t('deleted the backup {name}', { name }),
  'provider.connect': (name, entry) => {
    const [provider, model] = [PROVIDERS[name] ?? name, detail(entry, 'model')];
    return model
      ? t('connected {provider} to {model}', { provider, model })
      : t('connected {provider}', { provider });
  },
  'provider.disconnect': (name) => t('disconnected {provider}', { provider: PROVIDERS[name] ?? name }),
  'credits.new_users': (_, entry) =>
    entry.details.credits === null
      ? t('set the credits of new accounts to the default')
      : t('set the credits of new accounts to {count}', { count: count(entry, 'credits') }),
  'provider.test': (name, entry) => {
    const provider = PROVIDERS[name] ?? name.replaceAll('-', ' ');
    return entry.details.isWorking
      ? t('tested {provider}, which works', { provider })
      : t('tested {provider}, which does not work', { provider });
  },
};

/** The names in the log that nobody can have: they have a space. */
const ACTORS: Record<string, string> = {
  'the operator': t('The operator'),
  'the service': t('This server'),
};

/** Who did something: a username, or who has none. */
export const nameActor = ({ actor }: LoggedAction): string => ACTORS[actor] ?? actor;

/** Where something was done. What the server does by itself is done nowhere. */
export function describePlace({ actor, address }: Pick<AuditRecord, 'actor' | 'address'>): string {
  if (actor === 'the service') return '';
  return address ? t('from {address}', { address }) : t('in a shell on the server');
}

/** `took down the page /p/x: spam`. */
export function describeAction(entry: LoggedAction): string {
  const { action, target } = entry;
  const sentence =
    SENTENCES[action]?.(target.name, entry) ?? t('did {action} to {name}', { action, name: target.name });
  const reason = detail(entry, 'reason');
  return reason ? `${sentence}: ${reason}` : sentence;
}

/** Undefined if it is the default again. */
function describeQuota({ details }: LoggedAction): string | undefined {
  const amount = (name: string, none: string, format: (count: number) => string) => {
    const value = details[name];
    if (value === null || value === undefined) return undefined;
    return value === 0 ? none : format(Number(value));
  };
  const parts = [
    amount('pages', t('pages without limit'), (pages) =>
      t('{count|{count} page|{count} pages}', { count: pages }),
    ),
    amount('functions', t('functions without limit'), (functions) =>
      t('{count|{count} function|{count} functions}', { count: functions }),
    ),
    amount('bytes', t('storage without limit'), formatBytes),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** The actions to filter by, and what they are called. */
export const ACTION_GROUPS = [
  ['', t('All actions')],
  ['user.', t('Users')],
  ['page.', t('Pages')],
  ['function.', t('Functions')],
  ['registration.', t('Registration')],
  ['invite.', t('Invites')],
  ['backup.', t('Backups')],
  ['provider.', t('Providers')],
] as const;

import type { ActivityEntry } from '../../contract/people/audit.ts';
import { formatBytes, plural } from './format.ts';

/** Entries of the audit log as sentences. */

type Entry = Pick<ActivityEntry, 'actor' | 'action' | 'target' | 'details'>;

const MODES: Record<string, string> = {
  open: 'opened registration to everyone',
  invite: 'opened registration to people with an invite',
  closed: 'closed registration',
};

const detail = (entry: Entry, name: string) => {
  const value = entry.details[name];
  return value === undefined || value === null ? '' : String(value);
};
const count = (entry: Entry, name: string) => Number(entry.details[name] ?? 0);

/** What somebody did, without their name. An action that is not in this table is shown by its code. */
const SENTENCES: Record<string, (entry: Entry) => string> = {
  'user.set_up': () => 'became an administrator with the setup link',
  'user.suspend': ({ target }) => `suspended ${target.name}`,
  'user.restore': ({ target }) => `ended the suspension of ${target.name}`,
  'user.promote': ({ target }) => `made ${target.name} an administrator`,
  'user.demote': ({ target }) => `made ${target.name} an ordinary user`,
  'user.make_reset_link': ({ target }) => `made a link to reset the password of ${target.name}`,
  'user.reset': ({ target }) => `made a link to reset the password of ${target.name}`,
  'user.second_factor_off': ({ target }) => `turned off the second factor of ${target.name}`,
  'user.end_sessions': ({ target }) => `logged ${target.name} out everywhere`,
  'user.set_quota': (entry) => `set the quota of ${entry.target.name}${quotaOf(entry)}`,
  'user.grant_credits': (entry) =>
    `gave ${plural(count(entry, 'credits'), 'credit')} to ${entry.target.name}`,
  'user.delete': ({ target }) => `asked to delete the account ${target.name}`,
  'user.leave': ({ target }) => `asked to delete their account ${target.name}`,
  'user.keep': ({ target }) => `kept the account ${target.name}`,
  'user.remove': ({ target }) => `deleted the account ${target.name}`,
  'page.take_down': ({ target }) => `took down the page /p/${target.name}`,
  'page.restore': ({ target }) => `restored the page /p/${target.name}`,
  'page.remove_from_gallery': ({ target }) => `removed the page /p/${target.name} from the gallery`,
  'page.allow_in_gallery': ({ target }) => `allowed the page /p/${target.name} in the gallery`,
  'function.take_down': ({ target }) => `took down the function ${target.name}`,
  'function.restore': ({ target }) => `restored the function ${target.name}`,
  'registration.change': (entry) => {
    const to = detail(entry, 'to');
    return MODES[to] ?? `set registration to ${to}`;
  },
  'invite.create': ({ target }) => `made an invite${target.name && ` for “${target.name}”`}`,
  'invite.revoke': ({ target }) => `revoked an invite${target.name && ` for “${target.name}”`}`,
  'instance.change': () => 'changed how this server presents itself',
  'backup.make': ({ target }) => `started a backup, ${target.name}`,
  'backup.download': ({ target }) =>
    `downloaded ${target.name === 'a new backup' ? '' : 'the backup '}${target.name}`,
  'backup.delete': ({ target }) => `deleted the backup ${target.name}`,
  'provider.test': (entry) =>
    `tested ${entry.target.name.replaceAll('-', ' ')}, which ${entry.details.isWorking ? 'works' : 'does not work'}`,
};

/** `took down the page /p/x: spam`. */
export function describeAction(entry: Entry): string {
  const sentence = SENTENCES[entry.action]?.(entry) ?? `did ${entry.action} to ${entry.target.name}`;
  const reason = detail(entry, 'reason');
  return reason ? `${sentence}: ${reason}` : sentence;
}

function quotaOf(entry: Entry): string {
  const amount = (name: string, format: (value: number) => string) => {
    const value = entry.details[name];
    if (value === null || value === undefined) return undefined;
    return value === 0 ? `${name === 'bytes' ? 'storage' : name} without limit` : format(Number(value));
  };
  const parts = [
    amount('pages', (value) => plural(value, 'page')),
    amount('functions', (value) => plural(value, 'function')),
    amount('bytes', formatBytes),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? ' to the default' : ` to ${parts.join(', ')}`;
}

/** The actions to filter by, and what they are called. */
export const ACTION_GROUPS = [
  ['', 'All actions'],
  ['user.', 'Users'],
  ['page.', 'Pages'],
  ['function.', 'Functions'],
  ['registration.', 'Registration'],
  ['invite.', 'Invites'],
  ['backup.', 'Backups'],
  ['provider.', 'Provider tests'],
] as const;

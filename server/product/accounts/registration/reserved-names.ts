import { skeleton } from '../../../lib/display-name.ts';
import { look } from '../../../platform/service-settings/index.ts';

/** Names that seem to speak for the server. */
const RESERVED = [
  ...['admin', 'admins', 'administrator', 'administrators', 'sysadmin', 'superuser', 'root', 'sudo'],
  ...['system', 'quire'],
  ...['support', 'help', 'helpdesk', 'official', 'staff', 'moderator', 'moderators', 'security', 'trust'],
  ...['abuse', 'billing', 'contact', 'legal', 'privacy', 'info', 'noreply', 'postmaster', 'hostmaster'],
  ...['webmaster', 'mailer', 'daemon', 'api', 'www', 'mail', 'smtp', 'imap', 'ftp', 'dns', 'ssl'],
]
  .map(skeleton)
  .join('|');
/** Words that add nothing to a reserved name. */
const FILLERS = ['the', 'team', 'service', 'account', 'and', 'of'].map(skeleton).join('|');
const IS_FILLER = new RegExp(`^(?:${FILLERS})$`);
const IS_RESERVED = new RegExp(`^(?:${FILLERS})*(?:${RESERVED})(?:${RESERVED}|${FILLERS})*$`);
/** The name of the product, which is reserved like the name of this server. */
const OURS = skeleton('quire');

/**
 * Whether a username is reserved, or looks like one that is: in other spelling, with a short number around it, or made of
 * several (`quire-support`, `quiresupport`). The name that administrators gave this server counts too.
 */
export function isReserved(username: string): boolean {
  const isOne = (text: string) => {
    const bare = text.replace(/^[_-]*\d{0,3}[_-]*|[_-]*\d{0,3}[_-]*$/g, '');
    const own = skeleton(look().name);
    const isIt = (each: string) =>
      IS_RESERVED.test(each) || (own !== '' && IS_RESERVED.test(each.replaceAll(own, OURS)));
    return [text, bare].map(skeleton).some(isIt);
  };
  if (isOne(username)) return true;
  const words = username.split(/[-_]+/).filter((word) => !/^\d{0,3}$/.test(word));
  return words.some(isOne) && words.every((word) => isOne(word) || IS_FILLER.test(skeleton(word)));
}

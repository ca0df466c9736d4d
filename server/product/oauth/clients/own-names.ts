import { skeleton, unboxed } from '../../../lib/display-name.ts';
import { look, QUIRE_LOOK } from '../../../platform/service-settings/index.ts';

/** Words before a name that only make it sound better. */
const BOASTS = new Set(
  ['the', 'official', 'original', 'real', 'genuine', 'verified', 'new', 'my', 'your'].map(skeleton),
);

/**
 * Whether people would take an app for a part of this service, because its name begins with ours, or with the one that
 * administrators gave the service: "Quire", "Official Qu1re", "QuireSupport". Our name further back only says what the app
 * is for, as programs do that connect to several servers: "Claude Code (quire)".
 */
export function isOwnName(name: string): boolean {
  const words = unboxed(name)
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[\p{Z}\p{P}\p{S}]+/u)
    .map(skeleton)
    .filter((word) => word !== '');
  const start = words.findIndex((word) => !BOASTS.has(word));
  const said = start === -1 ? words : words.slice(start);
  // No other word begins with our name.
  if ([words, said].some((each) => each.join('').startsWith(skeleton(QUIRE_LOOK.name)))) return true;
  const own = skeleton(look().name);
  // A common word can be the name of a service: "Ai" must not refuse "Air tickets".
  const isAtStart = (list: string[]) => list.some((_, end) => list.slice(0, end + 1).join('') === own);
  return own !== '' && [words, said].some(isAtStart);
}

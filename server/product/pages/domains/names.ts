import { domainToUnicode } from 'node:url';
import { fault } from '../../../../contract/errors.ts';
import type { TextValues } from '../../../../contract/rules/texts/fill.ts';
import { badRequest } from '../../../lib/errors.ts';

/** Rules for the names of domains, and their form for people. */

/** The hosts of the service itself, which can have ports. */
export interface OwnHosts {
  baseUrl: string;
  pagesHost: string | undefined;
  functionsHost: string | undefined;
}

/** A domain in ASCII as people read it. */
export const toUnicode = (domain: string): string => domainToUnicode(domain) || domain;

/** Rejects a domain that is ours or that can be mistaken for another one. */
export function assertUsable(domain: string, hosts: OwnHosts): void {
  const own = [new URL(hosts.baseUrl).hostname, stripPort(hosts.pagesHost), stripPort(hosts.functionsHost)];
  if (own.some((host) => host && (domain === host || domain.endsWith(`.${host}`))))
    throw wrong('must be a domain of your own. {domain} belongs to this service', { domain });
  const mixed = toUnicode(domain).split('.').find(mixesScripts);
  if (mixed !== undefined)
    throw wrong(
      'must not mix letters of different scripts, as "{label}" does: such names imitate others. Write it in one script',
      { label: mixed },
    );
}

export const stripPort = (host: string | undefined) => host?.replace(/:\d+$/, '');

const wrong = (sentence: string, values: TextValues) => badRequest([fault('domain', sentence, values)]);

/** Scripts that are written together. All other labels have one script. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
].map(matching);
const ALONE = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali', 'Gurmukhi'],
  ...['Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan'],
  ...['Myanmar', 'Georgian', 'Ethiopic', 'Khmer', 'Mongolian', 'Thaana'],
].map((script) => matching([script]));

/** Text in these scripts, with digits and what belongs to no script. */
function matching(scripts: string[]): RegExp {
  const classes = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[${classes.join('')}]*$`, 'u');
}

function mixesScripts(label: string): boolean {
  return ![...ALONE, ...TOGETHER].some((scripts) => scripts.test(label));
}

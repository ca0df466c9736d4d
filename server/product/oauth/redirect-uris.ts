import { phrase } from '../../../contract/rules/texts/fill.ts';
import { translated } from '../../sites/screens/index.ts';

/** Which addresses an app can be sent back to. They are compared as text, so that no two readings of one differ. */

/** A loopback address: programs on the person's computer choose a free port each time. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:\/.*)?)$/;

/** Schemes that browsers or systems handle themselves. Those of installed apps are allowed. */
const NOT_OF_APPS =
  /^(https?|wss?|ftp|file|data|blob|filesystem|javascript|vbscript|about|view-source|resource|chrome[a-z-]*|moz-extension|edge|intent|android-app|mailto|tel|sms|ms-[a-z0-9+.-]*|search-ms|jar|urn|x-[a-z0-9+.-]*):/;

/** Why an address cannot be registered; undefined if it can. */
export function findFault(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"'<>^`{|}]/.test(uri))
    return 'contains characters that must be encoded';
  const url = URL.parse(uri);
  if (!url) return 'is not a URL';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username || url.password || /^[a-z]+:\/\/[^/]*@/i.test(uri))
    return 'must not have a username or password';
  // `HTTPS://x`, `https:x` and `https://x/a/../b` name the same as other texts.
  if (url.href !== uri && url.href !== `${uri}/`) return `must be written as ${url.href}`;
  if (url.protocol === 'https:' || LOOPBACK.test(uri)) return undefined;
  if (url.protocol === 'http:') return 'must use https, except on 127.0.0.1, [::1] and localhost';
  if (NOT_OF_APPS.test(uri) || !/^[a-z][a-z0-9+.-]+:\//.test(uri))
    return 'has a scheme that is not the one of an app';
  return undefined;
}

/** Whether a request names one of the registered addresses. Only the port of a loopback address may differ. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const [, host, rest] = LOOPBACK.exec(uri) ?? [];
  if (host === undefined || !URL.canParse(uri)) return false;
  return registered.some((each) => {
    const known = LOOPBACK.exec(each);
    return known !== null && known[1] === host && known[2] === rest;
  });
}

/** The place that a redirect URI leads to, in English: it is saved with the app. */
export function describeRedirect(uri: string): string {
  if (LOOPBACK.test(uri)) return phrase('a program on your computer').text;
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' ? host : `${protocol}//`;
}

/** The place that one request returns to, for the screen. With its port: that of a program can differ each time. */
export function describeReturn(uri: string): string {
  const place = translated(describeRedirect(uri));
  return LOOPBACK.test(uri) ? `${place} (${new URL(uri).host})` : place;
}

/**
 * The form targets of the content security policy. Browsers also check where the app redirects from there,
 * so it is the scheme and not the host.
 */
export function makeFormTargets(uri: string): string {
  const { protocol } = new URL(uri);
  return protocol === 'http:' ? "'self' http: https:" : `'self' ${protocol}`;
}

/** The redirect URI with the parameters of a response. */
export function withAnswer(uri: string, answer: Record<string, string | undefined>): string {
  const given = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}

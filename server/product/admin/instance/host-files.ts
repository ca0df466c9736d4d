import { AppError } from '../../../lib/errors.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import { drawIcon } from '../../../sites/screens/index.ts';
import type { AdminContext } from '../context.ts';

/** Files that programs expect at every host. On the hosts of pages, they are files of the page. */

const DAY_MS = 24 * 3600 * 1000;
const SECURITY_PATH = '/.well-known/security.txt';
/** How long security.txt is valid. RFC 9116 recommends less than a year. */
const SECURITY_VALID_DAYS = 180;

/** Paths that search engines must not index: everything that is private or only for programs. */
const NOT_INDEXED = [
  ...['/api/', '/oauth/', '/mcp', '/preview', '/screenshots/', '/p/*/~', '/gallery/*/fork'],
  ...[
    '/login/',
    '/logout',
    '/reset',
    '/confirm',
    '/setup',
    '/device',
    '/consent',
    '/leaving',
    '/join/',
    '/claim/',
    '/try',
    '/report',
  ],
  ...['/pages', '/functions', '/databases', '/connect', '/account', '/admin'],
];
const ROBOTS = ['User-agent: *', ...NOT_INDEXED.map((path) => `Disallow: ${path}`), ''].join('\n');

const DAY = { 'cache-control': 'public, max-age=86400', 'x-content-type-options': 'nosniff' };
const TEXT = { ...DAY, 'content-type': 'text/plain; charset=utf-8' };

export function hostFileRoutes({ instance, baseUrl, securityContact, now }: AdminContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/robots.txt',
      access: { kind: 'public' },
      summary: 'What search engines should leave out',
      handle: () => new Response(ROBOTS, { headers: TEXT }),
    }),
    route({
      method: 'GET',
      path: '/favicon.ico',
      access: { kind: 'public' },
      summary: 'The icon of this server, for programs that do not read it from a screen',
      handle() {
        const { logo } = instance;
        return logo
          ? new Response(logo.png, { headers: { ...DAY, 'content-type': 'image/png' } })
          : new Response(drawIcon(), {
              headers: {
                ...DAY,
                'content-type': 'image/svg+xml',
                'content-security-policy': "default-src 'none'",
              },
            });
      },
    }),
    route({
      method: 'GET',
      path: SECURITY_PATH,
      access: { kind: 'public' },
      summary: 'Where to report vulnerabilities of this server (RFC 9116)',
      handle() {
        if (securityContact === undefined) {
          throw new AppError(
            'NOT_FOUND',
            'This server names no contact for security. Its operator can set QUIRE_SECURITY_CONTACT.',
          );
        }
        const today = Math.floor(now() / DAY_MS) * DAY_MS;
        const expires = new Date(today + SECURITY_VALID_DAYS * DAY_MS).toISOString();
        const lines = [
          `Contact: ${securityContact}`,
          `Expires: ${expires}`,
          `Canonical: ${baseUrl}${SECURITY_PATH}`,
        ];
        return new Response(`${lines.join('\n')}\n`, { headers: TEXT });
      },
    }),
  ];
}

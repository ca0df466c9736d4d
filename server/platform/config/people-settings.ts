import { z } from 'zod';
import { isSecureUrl } from '../../lib/host-names.ts';
import { about, httpUrl, word } from './setting-kinds.ts';

/** The settings of mail and of single sign-on. */
export const PEOPLE_SETTINGS = {
  QUIRE_SMTP_URL: about(
    z
      .string()
      .refine(
        (text) => /^smtps?:\/\//.test(text) && hasHost(text),
        'must be a URL such as smtp://user:password@mail.example.com:587',
      )
      .optional(),
    '[Mail](mail.md) server: `smtp://user:password@host:587`, or `smtps://` for TLS from the start.',
    'none: no mail is sent',
  ),
  QUIRE_MAIL_FROM: about(
    z
      .string()
      .max(320, 'must have at most 320 characters')
      .regex(
        /^[^\r\n<>@]*<?[^\s<>@]+@[^\s<>@]+>?$/,
        'must be an address such as quire@example.com or Quire <quire@example.com>',
      )
      .optional(),
    'Sender of mail, for example `Quire <quire@example.com>`',
    '`quire@` and the host of the base URL',
  ),
  QUIRE_OIDC_ISSUER: about(
    httpUrl
      .refine(isSecureUrl, 'must start with https://, unless it is on this machine')
      .refine(
        (text) => !text.includes('/.well-known/'),
        'must be the issuer alone, without /.well-known/openid-configuration',
      )
      .optional(),
    'The issuer: the URL of an OpenID Connect provider for [single sign-on](sign-in.md#single-sign-on)',
    'none: no single sign-on',
  ),
  QUIRE_OIDC_CLIENT_ID: about(
    word.optional(),
    'The ID that the provider gave this service. Required with `QUIRE_OIDC_ISSUER`',
    'none',
  ),
  QUIRE_OIDC_CLIENT_SECRET: about(word.optional(), 'Its secret. Required with `QUIRE_OIDC_ISSUER`', 'none'),
  QUIRE_OIDC_NAME: about(
    z.string().min(1).max(50, 'must have at most 50 characters').optional(),
    'What the button to log in calls the provider',
    'its host',
  ),
};

/** The name and password in the URL have to be readable, too. */
function hasHost(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
    return hostname !== '';
  } catch {
    return false;
  }
}

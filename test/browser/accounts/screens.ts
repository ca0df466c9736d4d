import { startLyingProvider } from '../../support/accounts/lying-provider.ts';
import { PasskeyBrowser } from '../../support/accounts/passkeys.ts';
import { openStage, PASSWORD, type Stage } from '../../support/browser/stage.ts';
import { startSmtp } from '../../support/mail/smtp.ts';

/** The screens of people on their way into their accounts. Each needs something that was done before. */
export interface AccountScreens {
  stage: Stage;
  /** Every screen, in each of its states. */
  paths: string[];
  /** What the browser needs to see them. */
  cookies: Array<{ name: string; value: string; url: string }>;
  close(): Promise<void>;
}

/** A service with mail and single sign-on, where people have come as far as these screens. */
export async function openAccountScreens(): Promise<AccountScreens> {
  const smtp = await startSmtp();
  const provider = startLyingProvider();
  const stage = await openStage('origin', {
    QUIRE_SMTP_URL: smtp.url,
    QUIRE_MAIL_FROM: 'quire@example.com',
    QUIRE_NPM_REGISTRY: 'off',
    QUIRE_ANONYMOUS_PAGES: 'on',
    QUIRE_REGISTRATIONS_PER_HOUR: '0',
    // A model that is never asked, so that screens offer the builder.
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: 'http://127.0.0.1:9',
    QUIRE_AI_MODEL: 'model',
    QUIRE_CREDITS_NEW_USER: '100',
    ...provider.environment,
  });
  const browser = new PasskeyBrowser({
    baseUrl: stage.baseUrl,
    call: stage.call,
    request: (path, init = {}) => fetch(stage.baseUrl + path, { ...init, redirect: 'manual' }),
  });

  const mailed = async (username: string, subject: RegExp) => {
    const { links } = await smtp.nextMail(`${username}@example.com`, subject);
    const link = new URL(links.find((each) => each.includes('code=')) ?? '');
    return link.pathname + link.search;
  };
  const person = async (username: string) => {
    await stage.register(username);
    await browser.logIn(username, PASSWORD);
    return { username, password: PASSWORD };
  };
  const atProvider = async (claims: Record<string, string>) => {
    const { headers } = await browser.call('GET', '/login/sso?next=/docs');
    const back = new URL(provider.logIn(headers.get('location') ?? '', claims));
    return (await browser.call('GET', back.pathname + back.search)).headers.get('location') ?? '';
  };

  const forgetful = await person('forgetful');
  await stage.call('POST', '/api/auth/forgot', { body: { username: forgetful.username } });
  const leaver = await person('leaver');
  await browser.call('POST', '/api/auth/account/delete', leaver);
  const leaving = await browser.submit('/login', leaver);
  const cautious = await person('cautious');
  await browser.addPasskey();
  await browser.call('POST', '/api/auth/second-factor', { password: PASSWORD });
  await browser.call('POST', '/api/auth/logout', {});
  const asked = await browser.submit('/login', cautious);
  const newcomer = await atProvider({ sub: 'new', email: 'new@school.example' });
  const owner = await atProvider({ sub: 'known', email: 'forgetful@example.com' });
  const paths = [
    '/forgot',
    '/reset?code=used',
    await mailed(forgetful.username, /password/),
    '/confirm?code=used',
    await mailed(forgetful.username, /Confirm/),
    '/leaving?code=outdated',
    leaving.location ?? '',
    asked.location ?? '',
    '/login/sso/finish?flow=finished',
    newcomer,
    owner,
  ];
  return {
    stage,
    paths,
    cookies: browser.cookie.split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return { name, value, url: stage.baseUrl };
    }),
    async close() {
      await stage.close();
      provider.stop();
      await smtp.stop();
    },
  };
}

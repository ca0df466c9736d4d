import type { RegistrationMode } from '../../../../contract/accounts/registration-modes.ts';
import { idParams } from '../../../../contract/fields.ts';
import { ClaimBody, ClaimQuery } from '../../../../contract/pages/anonymous/anonymous.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Route, route, seeOther, toLogin } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { askedAs, type Html, html, sayError, screen, t } from '../../../sites/screens/index.ts';
import { type Claim, type Claims, makeClaimPath } from './claim.ts';

/** The target of a claim link: a plain form without script. Opening it changes nothing. */

export interface ClaimScreensContext {
  claims: Claims;
  baseUrl: string;
  now: () => number;
  registration(): Promise<RegistrationMode>;
}

/** Other sites do not learn the address, a secret. With `no-referrer`, browsers would send the form without its origin. */
const HEADERS = { 'referrer-policy': 'strict-origin', 'x-robots-tag': 'noindex' };
const PATH = '/claim/:id';

export function claimScreens(context: ClaimScreensContext): Route[] {
  const { claims } = context;
  return [
    route({
      method: 'GET',
      path: PATH,
      access: { kind: 'screen' },
      summary: 'The page that a claim link leads to',
      params: idParams,
      query: ClaimQuery,
      handle({ params, query, actor, address }) {
        const claim = { pageId: params.id, code: query.code };
        return orFailure(context, async () =>
          askScreen(context, await claims.look(claim, address), claim, actor?.username),
        );
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      access: { kind: 'account door' },
      summary: 'Claim a page that was published without an account',
      params: idParams,
      body: ClaimBody,
      acceptsForm: true,
      handle({ params, body, actor, address }) {
        const claim = { pageId: params.id, code: body.code };
        if (!actor) return toLogin(makeClaimPath(claim.pageId, claim.code));
        return orFailure(context, async () => {
          const { id } = await claims.claim(claim, actor, address);
          return seeOther(`/pages/${id}`);
        });
      },
    }),
  ];
}

async function orFailure(context: ClaimScreensContext, respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof AppError) return failureScreen(context, error);
    throw error;
  }
}

async function askScreen(
  { baseUrl, registration, now }: ClaimScreensContext,
  page: PageRow,
  claim: Claim,
  username: string | undefined,
): Promise<Response> {
  const title = t('Make this page yours');
  const left = Math.max(1, Math.round(((page.access_expires_at ?? 0) - now()) / 3_600_000));
  const body = html`<section class="card">
<h1>${title}</h1>
<p class="subject"><strong>${page.name}</strong><span class="hint"><a href="/p/${page.slug}" target="_blank" rel="noopener noreferrer">${new URL(baseUrl).host}/p/${page.slug}</a></span><span class="hint">${t('published without an account, and deleted in {hours|{hours} hour|{hours} hours} unless somebody claims it', { hours: left })}</span></p>
<p>${t('Once you claim it, the page stays, and you can change it and give it data and functions. It belongs to your account, so claim it only if you or your agent made it.')}</p>
${username ? confirmForm(claim, username) : waysToLogIn(claim, await registration())}
</section>`;
  return screen({ title, body }, { baseUrl, formTargets: "'self'", headers: HEADERS });
}

function confirmForm(claim: Claim, username: string): Html {
  return html`<form method="post" action="/claim/${claim.pageId}"><input type="hidden" name="code" value="${claim.code}"><div class="actions"><button>${t('Claim the page')}</button><a class="button quiet" href="/">${t('Not now')}</a></div></form>
${askedAs(username, makeClaimPath(claim.pageId, claim.code))}`;
}

/** Texts for people without an account, by registration mode. */
const NEWCOMERS: Record<RegistrationMode, () => string> = {
  open: () => t('Log in to claim it, or create an account. You come back here afterwards.'),
  invite: () =>
    t(
      'Log in to claim it. You come back here afterwards. To create an account, you need an invite from an administrator of this server.',
    ),
  closed: () => t('Log in to claim it. You come back here afterwards.'),
};

function waysToLogIn({ pageId, code }: Claim, registration: RegistrationMode): Html {
  const next = encodeURIComponent(makeClaimPath(pageId, code));
  return html`<p class="hint">${NEWCOMERS[registration]()}</p>
<p class="actions"><a class="button" href="/login?next=${next}">${t('Log in')}</a>
${registration === 'open' ? html`<a class="button quiet" href="/register?next=${next}">${t('Create an account')}</a>` : ''}</p>`;
}

function failureScreen({ baseUrl }: ClaimScreensContext, failure: AppError): Promise<Response> {
  const { status, headers } = failure;
  const title = status === 404 ? t('This link no longer works') : t('You cannot claim this page right now');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${sayError(failure)}</p>
<p class="foot"><a href="/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { status, baseUrl, headers: { ...headers, ...HEADERS } });
}

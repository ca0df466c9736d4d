import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import { NoFields } from '../../../contract/fields.ts';
import { domainOrigin } from '../../../contract/pages/pages.ts';
import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { codeParams } from '../../../contract/teams/teams.ts';
import { AppError } from '../../lib/errors.ts';
import { type Route, route, seeOther, toLogin } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import { askedAs, type Html, html, say, sayError, screen, t } from '../../sites/screens/index.ts';
import type { TeamsContext } from './context.ts';
import { gainsBy, type Invitation, join, readInvitation } from './join.ts';
import { outranks } from './rules.ts';

/** The target of an invite link: a plain form without script, out of reach of published pages. */

interface ScreensContext extends TeamsContext {
  registration(): Promise<RegistrationMode>;
  /** Origins that the form can lead to: ours, and the hosts of pages. */
  formTargets: string;
}

const MEANING: Record<GrantableRole, () => string> = {
  viewer: () => t('You can read the data of the team and download its files.'),
  member: () => t('You can read the data of the team, and add your own records and files.'),
  admin: () => t('You can change the page and all data of the team, and invite others.'),
};

const ROLES: Record<Role, () => string> = {
  owner: () => t('the owner'),
  admin: () => t('an admin'),
  member: () => t('a member'),
  viewer: () => t('a viewer'),
};
const roleName = (role: Role) => ROLES[role]();

export function joinScreens(context: ScreensContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/join/:code',
      access: { kind: 'screen' },
      summary: 'The page that an invite leads to',
      params: codeParams,
      async handle({ params: { code }, actor }) {
        try {
          const invitation = await readInvitation(context, actor, code);
          const { page, offered, held } = invitation;
          if (held && !gainsBy({ role: offered }, held)) return memberScreen(context, page, held, offered);
          return inviteScreen(context, invitation, code, actor?.username);
        } catch (error) {
          if (error instanceof AppError) return goneScreen(context, error);
          throw error;
        }
      },
    }),
    route({
      method: 'POST',
      path: '/join/:code',
      access: { kind: 'account door' },
      summary: 'Join from the page that an invite leads to',
      params: codeParams,
      body: NoFields,
      acceptsForm: true,
      bodyOptional: true,
      async handle({ params: { code }, actor }) {
        if (!actor) return toLogin(`/join/${encodeURIComponent(code)}`);
        try {
          const { page } = await join(context, actor, code);
          return seeOther(`/p/${page.slug}`);
        } catch (error) {
          if (error instanceof AppError) return goneScreen(context, error);
          throw error;
        }
      },
    }),
  ];
}

async function inviteScreen(
  context: ScreensContext,
  { page, ownerName, offered, held }: Invitation,
  code: string,
  username: string | undefined,
): Promise<Response> {
  const { baseUrl } = context;
  const formTargets = page.domain
    ? `${context.formTargets} ${domainOrigin(baseUrl, page.domain)}`
    : context.formTargets;
  const title = t('Join {name}', { name: page.name });
  const asked = held
    ? say`You are ${roleName(held)} of its team, and are invited to become <strong>${roleName(offered)}</strong>.`
    : say`You are invited to join its team as <strong>${roleName(offered)}</strong>.`;
  const body = html`<section class="card">
<h1>${t('You are invited')}</h1>
<p class="subject"><strong>${page.name}</strong><span class="hint">${new URL(baseUrl).host}/p/${page.slug}</span><span class="hint">${t('a page by {name}', { name: ownerName })}</span></p>
<p>${asked} ${MEANING[offered]()}</p>
${username ? waysIn(code, username, held !== undefined) : waysToLogIn(code, await context.registration())}
</section>`;
  return screen({ title, body }, { baseUrl, formTargets });
}

function waysIn(code: string, username: string, isMember: boolean): Html {
  return html`<p class="hint">${t('The team will see your name, {username}.', { username })}</p>
<form method="post" action="/join/${code}"><div class="actions"><button>${isMember ? t('Accept') : t('Join')}</button><a class="button quiet" href="/">${t('Not now')}</a></div></form>
${askedAs(username, `/join/${code}`)}`;
}

/** Texts for people without an account, by registration mode. An invite to a team is not an invite to register. */
const NEWCOMERS: Record<RegistrationMode, () => string> = {
  open: () => t('Log in to join, or create an account. You come back here afterwards.'),
  invite: () =>
    t(
      'Log in to join. You come back here afterwards. To create an account, you also need an invite from an administrator of this server.',
    ),
  closed: () => t('Log in to join. You come back here afterwards.'),
};

function waysToLogIn(code: string, registration: RegistrationMode): Html {
  const next = encodeURIComponent(`/join/${code}`);
  const isOpen = registration === 'open';
  return html`<p class="hint">${NEWCOMERS[registration]()}</p>
<p class="actions"><a class="button" href="/login?next=${next}">${t('Log in')}</a>
${isOpen ? html`<a class="button quiet" href="/register?next=${next}">${t('Create an account')}</a>` : ''}</p>`;
}

function memberScreen(
  { baseUrl }: ScreensContext,
  page: PageRow,
  held: Role,
  offered: GrantableRole,
): Promise<Response> {
  const title = t('You are in');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${say`You are ${roleName(held)} of the team of <strong>${page.name}</strong> already.`}${outranks(held, offered) ? ` ${t('This invite is for {role}, which is less, so nothing changes.', { role: roleName(offered) })}` : ''}</p>
<p class="actions"><a class="button" href="/p/${page.slug}">${t('Open the page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

function goneScreen({ baseUrl }: ScreensContext, failure: AppError): Promise<Response> {
  const { status, headers } = failure;
  const title = status === 404 ? t('This invite no longer works') : t('You cannot join right now');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${sayError(failure)}</p>
<p class="foot"><a href="/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { status, headers, baseUrl });
}

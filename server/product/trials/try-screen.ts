import { randomBytes } from 'node:crypto';
import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { TRIAL_SECONDS } from '../../../contract/templates/wishes.ts';
import type { AppError } from '../../lib/errors.ts';
import { type Html, html, say, sayError, screen, t } from '../../sites/screens/index.ts';
import {
  PUBLISH_BELOW,
  type ShownTemplate,
  TRY_PATH,
  toTryPath,
  WISH_STYLES,
  wishBox,
} from '../../sites/templates/index.ts';
import type { Choice } from './choose.ts';
import type { TrialState } from './trial-state.ts';
import STYLES from './try.css' with { type: 'text' };

/** The path of the document in the frame, below `/try`. */
export const FRAME_BELOW = '/live';

interface TryScreen extends TrialState {
  choice: Choice;
  baseUrl: string;
  mode: RegistrationMode;
  isLoggedIn: boolean;
  /** Whether the builder makes what they say. */
  canBuild: boolean;
  /** What went wrong when it was to be published. */
  problem?: AppError;
}

/** How much of the time is left, in steps that the styles know. */
const STEP_MS = 10_000;
const STEPS = (TRIAL_SECONDS * 1000) / STEP_MS;

/** Shows a template in a frame, with a name, to try it and to publish it. */
export function tryScreen(shown: TryScreen): Promise<Response> {
  const { choice, baseUrl, isLive, problem } = shown;
  const title = t('Try {name}', { name: choice.name });
  const body = html`<div class="try">
<section class="try-panel">
<h1>${isLive ? t('Here it is. Try it.') : t('Here it is.')}</h1>
<p class="try-lede">${isLive ? t('This is a real page with your words in it. Use it for two minutes. To keep it, publish it.') : t('Publish it, and it is live with your words in it.')}</p>
${problem ? html`<p class="try-problem" role="alert">${sayError(problem)}</p>` : ''}
${nameForm(shown)}
${waysToPublish(shown)}
</section>
${stage(shown)}
${others(shown)}
</div>`;
  return screen(
    { title, body, description: t('Publish it, and it is live with your words in it.') },
    {
      baseUrl,
      formTargets: "'self'",
      frames: "'self'",
      styles: WISH_STYLES + STYLES,
      status: problem?.status ?? 200,
      headers: { 'x-robots-tag': 'noindex', ...problem?.headers },
    },
  );
}

/** Names one press of the button, however often the browser sends it. */
const makeKey = () => randomBytes(16).toString('hex');

/** Enter shows the page with another name; publishing takes a click. */
function nameForm({ choice: { template, name, wish } }: TryScreen): Html {
  return html`<form class="try-form" action="${TRY_PATH}" method="get">
<input type="hidden" name="wish" value="${wish}"><input type="hidden" name="template" value="${template.key}">
<div class="field"><label for="name">${t('Name of your page')}</label>
<div class="try-name"><input id="name" name="name" value="${name}" maxlength="${MAX_PAGE_NAME}" required autocomplete="off" dir="auto"><button class="quiet">${t('Show')}</button></div></div>
<button class="try-publish" name="key" value="${makeKey()}" formaction="${TRY_PATH}${PUBLISH_BELOW}" formmethod="post">${t('Publish')}</button>
</form>`;
}

/** What publishing takes. */
function waysToPublish({ isLoggedIn, mode, choice }: TryScreen): Html {
  const text = isLoggedIn
    ? t('Anyone with the link can see it. You can change everything later.')
    : NEWCOMERS[mode]();
  const login = isLoggedIn
    ? ''
    : html` ${say`<a href="/login?next=${encodeURIComponent(publishPath(choice))}">Log in</a> if you have an account.`}`;
  return html`<p class="hint">${text}${login}</p>`;
}

const NEWCOMERS: Record<RegistrationMode, () => string> = {
  open: () => t('You create an account in the next step, and your page goes live with it.'),
  invite: () => t('To publish, you need an account here. Ask an administrator of this server for an invite.'),
  closed: () => t('To publish, you need an account here. The operator of this server can give you one.'),
};

/** Where publishing goes on after somebody has logged in. */
export const publishPath = ({ template, name, wish }: Choice) =>
  toTryPath({ template: template.key, name, wish }, PUBLISH_BELOW);

function stage({ choice: { template, name, wish }, isLive, leftMs }: TryScreen): Html {
  const step = Math.max(1, Math.min(STEPS, Math.ceil(leftMs / STEP_MS)));
  const frame = toTryPath({ template: template.key, name }, FRAME_BELOW);
  const again = toTryPath({ template: template.key, name, wish });
  return html`<section class="try-stage left-${step}" aria-label="${t('Preview')}">
<div class="try-bar">
<span class="try-time">${isLive ? html`<i></i>${t('Two minutes to try it')}` : ''}</span>
<fieldset class="try-devices"><legend>${t('Show it on')}</legend><label><input type="radio" name="device" value="desktop" checked>${t('Desktop')}</label><label><input type="radio" name="device" value="phone">${t('Phone')}</label></fieldset>
</div>
<div class="try-device">
<p class="try-wait"><span>${t('Making your page …')}</span></p>
<iframe src="${frame}" title="${name}" sandbox="${FRAME_TOKENS}"></iframe>
${isLive ? html`<div class="try-over"><p><strong>${t('The two minutes are over.')}</strong> ${t('What you typed into the page is gone. Its name is still here.')}</p><a class="button quiet" href="${again}">${t('Try again')}</a></div>` : ''}
</div>
</section>`;
}

/** What the page in the frame can do: everything but reach the screen around it. */
const FRAME_TOKENS = 'allow-scripts allow-forms allow-modals allow-downloads allow-popups';

function others({ choice, mode, isLoggedIn, canBuild }: TryScreen): Html {
  const { others, wish, name } = choice;
  const cards = others.map((each) => html`<li>${card(each, { wish, name })}</li>`);
  return html`<section class="try-others" aria-labelledby="others">
<h2 id="others">${t('Or make this of it')}</h2>
<ul>${cards}</ul>
${wishBox({ wish, canBuild, canTryAsGuest: !isLoggedIn && mode === 'open', key: makeKey() })}
</section>`;
}

function card({ key, title, picture }: ShownTemplate, said: { wish: string; name: string }): Html {
  // A name that came from the title of a template does not fit to another.
  const kept = said.wish === '' ? {} : { name: said.name };
  return html`<a href="${toTryPath({ wish: said.wish, template: key, ...kept })}">${picture ? html`<img src="${picture}" width="800" height="500" alt="" loading="lazy">` : ''}<strong>${title}</strong></a>`;
}

/** Asks somebody who came with a link, and not from the screen above, whether to publish. */
export function askToPublish(choice: Choice, username: string, baseUrl: string): Promise<Response> {
  const { template, name, wish } = choice;
  const title = t('Publish {name}?', { name });
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t('It becomes a page of yours, made from the template “{template}”. Anyone with the link can see it.', { template: template.title })}</p>
<form method="post" action="${TRY_PATH}${PUBLISH_BELOW}"><input type="hidden" name="wish" value="${wish}"><input type="hidden" name="template" value="${template.key}"><input type="hidden" name="name" value="${name}"><div class="actions"><button name="key" value="${makeKey()}">${t('Publish')}</button><a class="button quiet" href="${toTryPath({ template: template.key, name, wish })}">${t('Look at it first')}</a></div></form>
<p class="foot">${say`You are logged in as <strong>${username}</strong>. <a href="/logout?next=${encodeURIComponent(publishPath(choice))}">Not you?</a>`}</p>
</section>`;
  return screen({ title, body }, { baseUrl, formTargets: "'self'", headers: { 'x-robots-tag': 'noindex' } });
}

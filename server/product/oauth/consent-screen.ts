import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { type AppScope, SCOPE_MEANINGS } from '../../../contract/scopes.ts';
import type { Actor } from '../../platform/http/index.ts';
import { askedAs, type Html, html, say, screen, t, translated } from '../../sites/screens/index.ts';
import { OURSELVES } from './clients/clients.ts';
import type { OAuthContext } from './context.ts';
import type { AccessRequest } from './ports.ts';
import { OWN_CHOICE, offeredPresets, PRESETS, type PresetName } from './presets.ts';
import { proveAsked, type Repeat } from './question.ts';
import { isTicked } from './scopes.ts';

/** The screen on which a person connects an app. It has no script, and no other site can show it in a frame. */

interface ConsentOptions extends Repeat {
  asked: AccessRequest;
  /** The URL that the form is sent to, and what it is about. */
  action: string;
  about: string;
  /** The URL that the person returns to when they switch accounts. */
  here: string;
  formTargets: string;
  /** Where the browser goes afterwards; undefined if it stays here. */
  returnsTo?: string | undefined;
  /** A notice for the person. */
  notice?: Html;
}

export function consentScreen(
  context: OAuthContext,
  actor: Actor,
  options: ConsentOptions,
): Promise<Response> {
  const { asked, error, notice } = options;
  const title = t('Connect this app?');
  const body = html`<section class="card roomy">
<h1>${title}</h1>
${subject(asked)}
<p class="lead">${lead(context, asked)}${options.returnsTo ? html` ${say`You then return to <strong>${options.returnsTo}</strong>.`}` : ''}</p>
${notice ?? ''}
${error ? html`<div class="error" role="alert"><p id="problem">${translated(error)}</p></div>` : ''}
<form method="post" action="${options.action}">
<input type="hidden" name="about" value="${options.about}"><input type="hidden" name="proof" value="${proveAsked(context, actor, options)}">
<fieldset${error ? html` aria-describedby="problem"` : ''}>
<legend>${t('It can')}</legend>
${choices(asked.scopes, options)}
${asked.scopes.includes('functions:write') ? html`<p class="hint">${t('A function can read and change the data of the page it belongs to. An app that may deploy functions can therefore reach this data, too.')}</p>` : ''}
</fieldset>
${canChangePages(asked) ? html`<label class="tick"><input type="checkbox" name="branches" value="yes"${options.isForBranches ? html` checked` : ''}><span>${t('Only on branches: it works on copies of pages, and you bring its changes to the pages.')}</span></label>` : ''}
<label class="tick"><input type="checkbox" name="sure" value="yes" required${options.isSure ? html` checked` : ''}><span>${t('I know this app and want to connect it.')}</span></label>
<div class="actions"><button name="answer" value="allow">${t('Allow')}</button><button class="quiet" name="answer" value="deny" formnovalidate>${t('Do not allow')}</button></div>
<p class="hint">${say`It can do this until you disconnect it under <em>Account, Connected apps</em>, or do not use it for 30 days. It never sees your password, and cannot manage your account.`}</p>
</form>
${askedAs(actor.username, options.here)}
</section>`;
  return screen(
    { title: error ? t('Error: {title}', { title }) : title, body },
    { baseUrl: context.baseUrl, formTargets: options.formTargets, status: error ? 400 : 200 },
  );
}

/** Whether the app asks to change pages or functions, so that it can be limited to branches of them. */
const canChangePages = ({ page, scopes }: AccessRequest) =>
  !page && (scopes.includes('pages:write') || scopes.includes('functions:write'));

/** The name and origin of the app. A registered name proves nothing: anyone can register any name. */
function subject({ name, origin, isVerified }: AccessRequest): Html {
  const published = origin === OURSELVES ? t('Part of Quire.') : t('Published at {origin}.', { origin });
  const source = isVerified ? published : t('The app chose this name itself. Nobody has checked it.');
  return html`<p class="subject"><strong>${name}</strong><span class="hint">${source}</span></p>`;
}

function lead({ baseUrl }: OAuthContext, { page }: AccessRequest): Html {
  if (!page) return say`This app wants to use your account at <strong>${new URL(baseUrl).host}</strong>.`;
  return say`This app wants to use the page “<strong>${page.name}</strong>” (/p/${page.slug}) as you, and nothing else.`;
}

/** What the person chooses from: presets with the single scopes behind them, or only single scopes. */
function choices(asked: readonly AppScope[], options: Repeat): Html {
  const { preset = '', ticked = asked.filter(isTicked) } = options;
  const ticks = (scopes: readonly AppScope[]) =>
    html`<div class="ticks">${scopes.map((scope) => tick(scope, ticked.includes(scope)))}</div>`;
  const presets = offeredPresets(asked);
  if (asked.length === 0) return html`<p class="hint">${t('Open this page as you.')}</p>`;
  if (presets.length === 0) return ticks(asked);
  const isOwn = preset === OWN_CHOICE;
  const groups = presets.map((name, at) => {
    const before = presets[at - 1];
    const added = PRESETS[name].filter((scope) => before === undefined || !PRESETS[before].includes(scope));
    return html`<p class="group">${presetText(name).title}</p>${ticks(added)}`;
  });
  return html`<div class="presets">${presets.map((name) => presetChoice(name, presetText(name), name === preset))}</div>
<details class="single"${isOwn ? html` open` : ''}><summary>${t('Details')}</summary>
${presetChoice(OWN_CHOICE, { title: t('Only what I tick'), hint: t('Choose each permission yourself.') }, isOwn)}
${groups}</details>`;
}

interface PresetText {
  title: string;
  hint: string;
}

function presetText(name: PresetName): PresetText {
  switch (name) {
    case 'look':
      return { title: t('Look'), hint: t('Read your pages, functions and data, and change nothing.') };
    case 'build':
      return {
        title: t('Build pages and functions'),
        hint: t('Also publish, edit and delete pages and functions, with their databases.'),
      };
    case 'everything':
      return {
        title: t('Everything except account and admin'),
        hint: t('Also edit your data and that of your teams, invite people and write in your name.'),
      };
  }
}

function presetChoice(value: string, { title, hint }: PresetText, isChosen: boolean): Html {
  return html`<label class="preset"><input type="radio" name="preset" value="${value}" required${isChosen ? html` checked` : ''}><span><strong>${title}</strong><span class="hint">${hint}</span></span></label>`;
}

function tick(scope: AppScope, isTicked: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="scope" value="${scope}"${isTicked ? html` checked` : ''}><span>${translated(SCOPE_MEANINGS[scope])}</span></label>`;
}

/** The screen for an error before the person was asked. `back` leads to the app, with the error. */
export function refusedScreen(
  { baseUrl }: Pick<OAuthContext, 'baseUrl'>,
  {
    sentence,
    values,
    back,
  }: {
    sentence: string;
    values?: TextValues | undefined;
    back?: { uri: string; place: string } | undefined;
  },
): Promise<Response> {
  const title = t('This app cannot be connected');
  const body = html`<section class="card">
<h1>${title}</h1>
<p>${t(sentence, values)}</p>
<p>${say`Nothing was allowed. If you develop the app, see the <a href="/docs/agents">documentation</a>.`}</p>
${back ? html`<p class="actions"><a class="button quiet" rel="noreferrer" href="${back.uri}">${t('Return to {place}', { place: translated(back.place) })}</a></p>` : ''}
<p class="foot"><a href="/">${t('Go to the start page')}</a></p>
</section>`;
  return screen({ title, body }, { baseUrl, status: 400 });
}

import { MAX_WISH_LETTERS } from '../../../contract/templates/wishes.ts';
import { type Html, html, t } from '../screens/index.ts';
import { BUILD_BELOW, TRY_PATH, toTryPath } from './try-path.ts';
import STYLES from './wish-box.css' with { type: 'text' };

export const WISH_STYLES = STYLES;

/** Says whether the builder makes what this user says, or what somebody without a login says who goes on to one. */
export type OffersBuilder = (userId?: number) => Promise<boolean>;

interface WishBox {
  wish?: string;
  /** Whether the builder makes it, and not the nearest template. */
  canBuild: boolean;
  /** Whether templates can be tried without an account, and the person has none. */
  canTryAsGuest: boolean;
  /** Names one press of the button, however often the browser sends it. */
  key?: string;
}

/** The box in which people say what they want to make. It is a plain form. */
export const wishBox = ({ wish = '', canBuild, ...more }: WishBox): Html =>
  canBuild ? buildBox(wish, more) : templateBox(wish);

/** Leads to the screen where they try the nearest template. */
function templateBox(wish: string): Html {
  return html`<form class="wish" action="${TRY_PATH}" method="get" role="search" aria-label="${t('What do you want to make?')}">
${line(wish, t('Make it'))}
${ideas((idea) => html`<a href="${toTryPath({ wish: idea })}">${idea}</a>`)}
</form>`;
}

/** Leads to the builder. A form that is sent, and not a link, because anyone can make a browser open an address. */
function buildBox(wish: string, { canTryAsGuest, key }: Omit<WishBox, 'wish' | 'canBuild'>): Html {
  const instead = canTryAsGuest
    ? t('Or try a template at once, without an account')
    : t('Or start with a template');
  const action = TRY_PATH + BUILD_BELOW;
  return html`<form class="wish" action="${action}" method="post" aria-label="${t('What do you want to make?')}">
${line(wish, t('Build page'))}${key ? html`<input type="hidden" name="key" value="${key}">` : ''}
<p class="wish-hint">${t('You see how it is made, and publish it when you like it.')} <button class="link" formaction="${TRY_PATH}" formmethod="get">${instead}</button></p>
</form>
<form class="wish wish-more" action="${action}" method="post">${ideas((idea) => html`<button name="wish" value="${idea}">${idea}</button>`)}</form>`;
}

const line = (wish: string, verb: string) => html`<label for="wish">${t('What do you want to make?')}</label>
<div class="wish-line"><input id="wish" name="wish" value="${wish}" maxlength="${MAX_WISH_LETTERS}" placeholder="${t('A birthday party for Mia on Saturday')}" autocomplete="off" enterkeyhint="go"><button>${verb}</button></div>`;

const ideas = (show: (idea: string) => Html) =>
  html`<ul class="wish-ideas" aria-label="${t('Suggestions')}">${suggestions().map((idea) => html`<li>${show(idea)}</li>`)}</ul>`;

/** What people can make, in a few words each. The dashboard suggests the same. */
const suggestions = (): string[] => [
  t('A birthday party'),
  t('A quiz for my class'),
  t('A vote on where to eat'),
  t('Ideas for our office'),
  t('A guestbook for our wedding'),
  t('A waiting list for my app'),
];

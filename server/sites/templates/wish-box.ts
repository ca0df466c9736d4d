import { MAX_WISH_LETTERS } from '../../../contract/templates/wishes.ts';
import { type Html, html, t } from '../screens/index.ts';
import { TRY_PATH, toTryPath } from './try-path.ts';
import STYLES from './wish-box.css' with { type: 'text' };

export const WISH_STYLES = STYLES;

/** The box in which people say what they want to make: a plain form that leads to the screen where they try it. */
export function wishBox(wish = ''): Html {
  return html`<form class="wish" action="${TRY_PATH}" method="get" role="search" aria-label="${t('What do you want to make?')}">
<label for="wish">${t('What do you want to make?')}</label>
<div class="wish-line"><input id="wish" name="wish" value="${wish}" maxlength="${MAX_WISH_LETTERS}" placeholder="${t('A birthday party for Mia on Saturday')}" autocomplete="off" enterkeyhint="go"><button>${t('Make it')}</button></div>
<ul class="wish-ideas" aria-label="${t('Suggestions')}">${suggestions().map((idea) => html`<li><a href="${toTryPath({ wish: idea })}">${idea}</a></li>`)}</ul>
</form>`;
}

/** What people can make, in a few words each. The dashboard suggests the same. */
const suggestions = (): string[] => [
  t('A birthday party'),
  t('A quiz for my class'),
  t('A vote on where to eat'),
  t('Ideas for our office'),
  t('A guestbook for our wedding'),
  t('A waiting list for my app'),
];

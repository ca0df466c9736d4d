import { toCredits } from '../../../../contract/rules/credit-amounts.ts';
import { MAX_CREDIT_LIMIT } from '../../../../contract/rules/limits.ts';
import { type Html, html, t } from '../../../sites/screens/index.ts';
import { inNumbers } from './page.ts';

/** The limits that the form offers, in credits. Any other number can be typed. */
const USUAL = [5, 10, 25, 100];

/** A form that was not accepted. `typed` is not a valid limit. */
export type RefusedAnswer =
  | { fault: 'no limit' }
  | { fault: 'bad limit'; typed: string }
  | { fault: 'nothing chosen' };

/** The highest limit that a person can set: their balance, in whole credits. */
export const maxLimit = (balanceTokens: number) =>
  Math.min(MAX_CREDIT_LIMIT, Math.floor(toCredits(balanceTokens)));

/** The usual limits below the balance, and the balance itself. */
function choicesUpTo(max: number): number[] {
  const usual = USUAL.filter((limit) => limit < max);
  if (usual.length === 0 && max > 1) usual.push(1);
  return max <= Math.max(...USUAL) ? [...usual, max] : usual;
}

/**
 * The choice of a limit. Nothing is preselected: a page could place this window under a double click. `canBeNone`
 * says that something else can be allowed without credits.
 */
export function limitChoice(options: {
  max: number;
  isAgain: boolean;
  canBeNone: boolean;
  refused: RefusedAnswer | undefined;
}): Html {
  const { max, isAgain, canBeNone, refused } = options;
  const typed = refused?.fault === 'bad limit' ? refused.typed : undefined;
  const isTyped = typed !== undefined;
  const described = refused && !isTyped ? html` aria-describedby="problem"` : '';
  const choice = (value: string, label: string, rest: Html | '' = '') =>
    html`<label class="choice"><input type="radio" name="limit" value="${value}" required${rest}>${label}</label>`;
  const numbers = choicesUpTo(max).map((limit, at) =>
    choice(String(limit), inNumbers(limit), html`${at === 0 ? html` id="limit"` : ''}${described}`),
  );
  return html`<fieldset>
<legend>${isAgain ? t('How many more credits can it use at most?') : t('How many credits can it use at most?')}</legend>
<div class="choices">${numbers}${canBeNone ? choice('none', t('None')) : ''}${choice('other', t('Other'), isTyped ? html` checked` : '')}</div>
<div class="field other"><label for="other">${t('Another number')}</label>
<input id="other" name="other" type="number" min="1" max="${max}" step="1" inputmode="numeric" autocomplete="off" value="${typed ?? ''}" aria-describedby="${isTyped ? 'problem ' : ''}other-hint"${isTyped ? html` aria-invalid="true" autofocus` : ''}>
<p class="hint" id="other-hint">${t('A whole number from 1 to {max}.', { max })}</p></div>
</fieldset>`;
}

/** Says what is wrong with an answer, with a link to the field. */
export function problem(
  refused: RefusedAnswer,
  { max, canPublish }: { max: number; canPublish: boolean },
): Html {
  const [field, text] = describeFault(refused, max, canPublish);
  return html`<div class="error" role="alert"><p id="problem"><a href="#${field}">${text}</a></p></div>`;
}

function describeFault(
  refused: RefusedAnswer,
  max: number,
  canPublish: boolean,
): [field: string, text: string] {
  if (refused.fault === 'bad limit') return ['other', t('Choose a whole number from 1 to {max}.', { max })];
  if (refused.fault === 'no limit') return ['limit', t('Choose how many credits the page may spend.')];
  return canPublish
    ? ['publish', t('Choose what the page may do, or choose Not now.')]
    : ['limit', t('Choose how many credits the page may spend.')];
}

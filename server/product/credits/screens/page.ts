import { PICTURE_PRICES, TOKENS_PER_CREDIT } from '../../../../contract/rules/credit-amounts.ts';
import { language } from '../../../platform/http/index.ts';
import { t } from '../../../sites/screens/index.ts';
import type { AskingPage } from '../context.ts';

export const CONSENT_PATH = '/consent';

/** The path of the consent screen of a page. A tab that was opened for it closes when the person has decided. */
export const consentPath = (pageId: number, isNewTab: boolean) =>
  `${CONSENT_PATH}?page=${pageId}${isNewTab ? '&tab=new' : ''}`;

/** An amount of credits as text, as in the dashboard. */
export const inNumbers = (credits: number) =>
  credits > 0 && credits < 0.01 ? '<0.01' : credits.toLocaleString(language(), { maximumFractionDigits: 2 });
export const inWords = (credits: number) =>
  t('{count|{amount} credit|{amount} credits}', { count: credits, amount: inNumbers(credits) });

/** Whether the page has any feature that needs consent. */
export const isAsking = (page: AskingPage) => isPaid(page) || isPublishing(page);

export const isPaid = (page: AskingPage) => listPaidUses(page).length > 0;

export const isPublishing = ({ page_api_spawn_enabled }: AskingPage) => page_api_spawn_enabled === 1;

/** The paid features that the page's owner has enabled, with their prices. */
export function listPaidUses(page: AskingPage): string[] {
  const { generation, recognition } = PICTURE_PRICES;
  const uses: Array<[isOn: number, use: string]> = [
    [
      page.page_api_ai_enabled,
      t('AI chat: 1 credit for {tokens} tokens (about 1,900 words)', { tokens: TOKENS_PER_CREDIT }),
    ],
    [page.page_api_image_gen_enabled, t('Image generation: {price} each', { price: inWords(generation) })],
    [
      page.page_api_image_recognition_enabled,
      t('Image recognition: {price} each', { price: inWords(recognition) }),
    ],
  ];
  return uses.filter(([isOn]) => isOn === 1).map(([, use]) => use);
}

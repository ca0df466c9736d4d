import { FAILURE_WORDS } from '../../../contract/rules/provider-failures.ts';
import type { Connectable, ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import { t, translated } from '../../texts/index.ts';

/** Why a provider does not work, and what to do about it. */
export const sayFailure = (reason: ProviderFailure): string => translated(FAILURE_WORDS[reason]);

export const CONNECTABLE_NAMES: Record<Connectable, string> = {
  chat: t('AI chat'),
  images: t('Image generation'),
  'image-search': t('Image search'),
};

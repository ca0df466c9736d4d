import type { TRIGGER_ACTIONS } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';

/** What a trigger calls the changes of records. */
export const ACTION_NAMES: Record<(typeof TRIGGER_ACTIONS)[number], () => string> = {
  create: () => t('New records'),
  update: () => t('Changed records'),
  delete: () => t('Deleted records'),
};

import type { AccessMode } from '../../../contract/pages/access-modes.ts';
import { t } from '../../texts/index.ts';

/** Who can see a page. */
export const ACCESS_NAMES: Record<AccessMode, string> = {
  public: t('Anyone'),
  password: t('People with the password'),
  people: t('Some people'),
  team: t('The team'),
  private: t('Private'),
};

/** Short, for badges. */
export const ACCESS_BADGES: Record<AccessMode, string> = {
  ...ACCESS_NAMES,
  password: t('Password'),
  team: t('Team only'),
};

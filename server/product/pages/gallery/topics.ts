import type { GalleryOrder, GalleryTopic } from '../../../../contract/rules/pages/gallery-topics.ts';
import { t } from '../../../sites/screens/index.ts';

/** Topics and orders of the gallery, in words. */

export const sayTopic = (topic: GalleryTopic): string =>
  ({
    personal: t('Personal'),
    events: t('Events'),
    community: t('Community'),
    learning: t('Learning'),
    work: t('Work'),
    tools: t('Tools'),
    games: t('Games'),
    art: t('Art'),
    other: t('Other'),
  })[topic];

export const sayOrder = (order: GalleryOrder): string =>
  ({ newest: t('Newest'), popular: t('Most visited'), changed: t('Recently changed') })[order];

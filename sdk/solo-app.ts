import { createCollections } from './data/collections.ts';
import { install } from './install.ts';

/** The bundle of pages with private data. */
install((self, visitor) => {
  const SoloData: Quire.SoloData = createCollections(self, visitor, 'solo-data');
  return { SoloData };
});

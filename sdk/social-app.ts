import { createCollections } from './data/collections.ts';
import { install } from './install.ts';

/** The bundle of pages with public data. */
install((self, visitor) => {
  const collections = createCollections(self, visitor, 'social-data');
  const SocialData: Quire.SocialData = Object.assign(collections, {
    findMine: <T>(collection: string, query?: Quire.Query) =>
      collections.find<T>(collection, { ...query, mine: true }),
  });
  return { SocialData };
});

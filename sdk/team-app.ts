import { createCollections } from './data/collections.ts';
import { install } from './install.ts';
import { createTeam } from './team.ts';

/** The bundle of pages with team data. */
install((self, visitor) => {
  const collections = createCollections(self, visitor, 'team-data');
  const TeamData: Quire.TeamData = { ...collections, ...createTeam(self, visitor, collections) };
  return { TeamData };
});

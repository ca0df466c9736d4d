import type { Role } from '../../../../contract/roles.ts';
import type { Asker, EnvService, ServicesContext } from './context.ts';
import { findOwner } from './own-api.ts';
import { TeamQuestion } from './questions.ts';

/** `env.TEAM`: the people of the page's team, as the page can see them. */
export function createTeamService(context: ServicesContext): EnvService<typeof TeamQuestion> {
  return {
    question: TeamQuestion,
    async run(asker) {
      const team = await readTeam(context, asker);
      return Response.json(team.map(({ username, role }) => ({ username, role })));
    },
  };
}

/** The owner of the page, and the members of its team. Fails if the page has none. */
export async function readTeam(
  context: ServicesContext,
  asker: Asker,
): Promise<Array<{ userId: number; username: string; role: Role }>> {
  const members = await context.listTeam(context.db, asker.page);
  const { userId, username } = await findOwner(context, asker);
  return [{ userId, username, role: 'owner' }, ...members];
}

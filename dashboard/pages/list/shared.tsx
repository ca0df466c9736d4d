import type { Role } from '../../../contract/roles.ts';
import { Badge, Failure, Section, useLoad } from '../../ui/index.ts';
import { listTeams } from '../api.ts';

const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

/** Pages of other people that the user's teams share, filtered by the search. */
export function SharedPages({ query }: { query: string }) {
  const teams = useLoad(listTeams, []);
  const wanted = query.toLowerCase();
  const shown = teams.value?.filter(
    ({ page }) => page.name.toLowerCase().includes(wanted) || page.slug.includes(wanted),
  );
  if (!teams.error && !shown?.length) return null;
  return (
    <Section title="Shared with you" hint="Pages of other people whose team you are in.">
      {teams.error && <Failure error={teams.error} retry={teams.reload} />}
      <ul class="page-shared">
        {shown?.map(({ page, role }) => (
          <li key={page.id}>
            <a href={`/p/${page.slug}`}>{page.name}</a>
            <span class="address">/p/{page.slug}</span>
            <Badge>{ROLE_NAMES[role]}</Badge>
          </li>
        ))}
      </ul>
    </Section>
  );
}

import { useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Badge, Failure, Icon, Pager, Section, useLoad } from '../../ui/index.ts';
import { listSharedPages, type SharedPage, screenOf } from '../api.ts';
import { nameOfRole, summaryOf } from '../shared/allowed.ts';

const AT_A_TIME = 20;

/** Pages of other people that are shared with the user, filtered by the search. */
export function SharedPages({ query }: { query: string }) {
  const [offset, setOffset] = useState(0);
  const shared = useLoad(
    (signal) => listSharedPages({ q: query, limit: AT_A_TIME, offset }, signal),
    [query, offset],
  );
  const { value, error } = shared;
  if (!error && !value?.pages.length) return null;
  return (
    <Section
      title={t('Shared with you')}
      hint={t('Pages of other people whose team you are in, or that you can see.')}
    >
      {error && <Failure error={error} retry={shared.reload} />}
      <ul class="page-shared">
        {value?.pages.map((page) => (
          <SharedRow key={page.id} page={page} />
        ))}
      </ul>
      {value && value.total > AT_A_TIME && (
        <Pager
          {...{ offset, limit: value.limit, total: value.total }}
          shown={value.pages.length}
          onMove={setOffset}
        />
      )}
    </Section>
  );
}

function SharedRow({ page }: { page: SharedPage }) {
  return (
    <li>
      <div>
        <Link href={screenOf(page.id)}>{page.name}</Link>
        <span class="hint">
          {t('by {owner}', { owner: page.owner.username })} · {summaryOf(page.role)}
        </span>
      </div>
      <Badge>{nameOfRole(page.role)}</Badge>
      {page.can_see && (
        <a
          class="button bare"
          href={page.url}
          target="_blank"
          rel="noopener"
          aria-label={t('Open {name} in a new tab', { name: page.name })}
        >
          <Icon name="external" size={18} />
        </a>
      )}
    </li>
  );
}

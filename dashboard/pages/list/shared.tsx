import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SharedPageList } from '../../../contract/pages/shared-pages.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Badge, Failure, Icon, type Loaded, Pager, Section, Skeleton, useLoad } from '../../ui/index.ts';
import { listSharedPages, type SharedPage, toPageScreen } from '../api.ts';
import { describeRole, nameOfRole } from '../shared/allowed.ts';

const AT_A_TIME = 20;

interface SharedProps {
  query: string;
  /** Shown below once the pages are known, so that it does not move. */
  children?: ComponentChildren;
}

/** Pages of other people that are shared with the user, filtered by the search. */
export function SharedPages({ query, children }: SharedProps) {
  const [offset, setOffset] = useState(0);
  const shared = useLoad(
    (signal) => listSharedPages({ q: query, limit: AT_A_TIME, offset }, signal),
    [query, offset],
  );
  const { value, error } = shared;
  if (!error && !value) return children ? <Skeleton lines={8} /> : null;
  return (
    <>
      {(error || value?.pages.length !== 0) && <List {...{ shared, offset, setOffset }} />}
      {children}
    </>
  );
}

interface ListProps {
  shared: Loaded<SharedPageList>;
  offset: number;
  setOffset: (offset: number) => void;
}

function List({ shared, offset, setOffset }: ListProps) {
  const { value, error } = shared;
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
        <Link href={toPageScreen(page.id)}>{page.name}</Link>
        <span class="hint">
          {t('by {owner}', { owner: page.owner.username })} · {describeRole(page.role)}
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

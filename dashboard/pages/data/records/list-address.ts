import type { ListQuery } from '../api.ts';

/** The filter and the sort order in the URL of the screen, so that a reload and a link keep them. */

type Kept = Pick<ListQuery, 'where' | 'orderBy' | 'order'>;

const DEFAULT = '-created_at';

export function readPlace(search = location.search): Partial<Kept> {
  const given = new URLSearchParams(search);
  const where = given.get('where');
  const sort = given.get('sort');
  return {
    ...(where && { where }),
    ...(sort && { orderBy: sort.replace(/^-/, ''), order: sort.startsWith('-') ? 'desc' : 'asc' }),
  };
}

export function writePlace({ where, orderBy, order }: Kept): void {
  const sort = `${order === 'desc' ? '-' : ''}${orderBy}`;
  const kept = new URLSearchParams({ ...(where && { where }), ...(sort !== DEFAULT && { sort }) });
  const search = kept.size > 0 ? `?${kept}` : '';
  history.replaceState(history.state, '', location.pathname + search);
}

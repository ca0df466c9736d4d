import type { DataType } from '../../contract/rules/storage-modes.ts';
import { request, requestJson } from '../api.ts';
import type { ListPage } from '../live-queries/index.ts';
import { loadLive, startLive } from '../live-queries/load.ts';
import type { Self } from '../self.ts';
import type { Visitor } from '../visitor.ts';
import type { Callback, Live } from './live.ts';

type CountQuery = { where?: Quire.Where; search?: string; mine?: boolean; groupBy?: string };

export function createCollections(self: Self, visitor: Visitor, type: DataType): Quire.Collections {
  const { api } = self;
  let following: Promise<Live> | undefined;
  const opened = (collection: string) => following?.then((live) => live.opened(collection)).catch(ignore);
  const toUrl = (collection: string, rest = '') => `${api}/${type}/${encodeURIComponent(collection)}${rest}`;
  const one = (collection: string, id: string) => toUrl(collection, `/${encodeURIComponent(id)}`);

  async function find<T>(collection: string, query: Quire.Query = {}): Promise<Quire.Found<T>> {
    await opened(collection);
    return toFound(await requestJson<ListPage>(toUrl(collection, search(query))));
  }

  function count(collection: string, query: CountQuery & { groupBy: string }): Promise<Quire.Counted>;
  function count(collection: string, query?: CountQuery): Promise<number>;
  async function count(collection: string, query: CountQuery = {}) {
    await opened(collection);
    const counted = await requestJson<Quire.Counted>(toUrl(collection, `/count${search(query)}`));
    return query.groupBy === undefined ? counted.count : counted;
  }

  return {
    // Reading it loads the visitor immediately: what a page with data shows first depends on them.
    ready: visitor.ready,
    isAuthenticated: () => visitor.user() !== null,
    getCurrentUser: visitor.user,
    promptLogin: () => visitor.goTo('/login'),
    find,
    findById: <T>(collection: string, id: string) =>
      requestJson<Quire.StoredRecord<T>>(one(collection, id)).catch(nullIfNotFound),
    create: (collection, data) => requestJson(toUrl(collection), 'POST', { data }),
    update: (collection, id, data) => requestJson(one(collection, id), 'PATCH', { data }),
    replace: (collection, id, data) => requestJson(one(collection, id), 'PUT', { data }),
    delete: async (collection, id) => {
      await request(one(collection, id), { method: 'DELETE' });
    },
    ...createPast(toUrl),
    count,
    can: createCan(visitor),
    async batch<T>(collection: string, operations: Quire.Operation<T>[]) {
      const { results } = await requestJson<{ results: Quire.OperationResult<T>[] }>(
        toUrl(collection, '/batch'),
        'POST',
        { operations },
      );
      return results;
    },
    subscribe(collection, callback) {
      following ??= loadLive(self).then(({ followChanges }) => followChanges(self, visitor));
      const stopping = following.then((live) => live.subscribe(collection, callback as Callback));
      return () => void stopping.then((stop) => stop());
    },
    live: (collection, { search: q, ...query }, callback, onEnd) =>
      startLive(self, ({ followList }) =>
        followList(self, { collection, query: { ...query, q } }, (page) => callback(toFound(page)), onEnd),
      ),
  };
}

/** What records were before they changed. */
function createPast(
  toUrl: (collection: string, rest: string) => string,
): Pick<Quire.Collections, 'history' | 'restore' | 'findDeleted'> {
  const one = (collection: string, id: string, rest: string) =>
    toUrl(collection, `/${encodeURIComponent(id)}${rest}`);
  return {
    history: (collection, id, query = {}) => requestJson(one(collection, id, `/history${search(query)}`)),
    restore: (collection, id, at) => requestJson(one(collection, id, '/restore'), 'POST', { at }),
    findDeleted: (collection, query = {}) => requestJson(toUrl(collection, `/deleted${search(query)}`)),
  };
}

function toFound<T>({ records, ...rest }: ListPage): Quire.Found<T> {
  const about = Object.entries({ ...rest, records }).map(([name, value]) => [name, { value }]);
  return Object.defineProperties(records, Object.fromEntries(about)) as Quire.Found<T>;
}

function createCan(visitor: Visitor): Quire.Collections['can'] {
  return (action, collection, record) => {
    const access = visitor.access();
    const isRuled = access && collection !== undefined && Object.hasOwn(access.byRules, collection);
    const reach = (isRuled ? access.byRules[collection] : access?.byMode)?.[action];
    if (reach !== 'own') return reach === 'all';
    // In solo mode all records are the visitor's own.
    return record?.createdBy === undefined || record.createdBy.id === visitor.user()?.id;
  };
}

function ignore(): void {}

function nullIfNotFound(error: Quire.Failure): null {
  if (error.status === 404) return null;
  throw error;
}

/** A query as URL parameters. Unknown fields are sent too, so that the service reports typos to the author. */
function search(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    // In URLs, a search is called `q`, as everywhere.
    params.set(
      name === 'search' ? 'q' : name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    );
  }
  return params.size > 0 ? `?${params}` : '';
}

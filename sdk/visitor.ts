import type { Reach, RuledAction } from '../contract/data/collection-rules.ts';
import type { Self } from './self.ts';

type Reaches = Record<RuledAction, Reach>;

/** What the visitor can do by the storage mode, and in each collection that has rules. */
interface DataAccess {
  byMode: Reaches;
  byRules: Record<string, Reaches>;
}

/** The visitor. All globals share it, so that a page loads it once. */
export interface Visitor {
  /** Resolves after the first response. Never rejects. */
  readonly ready: Promise<void>;
  user(): Quire.User | null;
  role(): Quire.Role | null;
  /** What the visitor can do with the data of the page, once that is known. */
  access(): DataAccess | undefined;
  /** Loads the visitor again. Concurrent calls share one request. */
  ask(): Promise<Quire.User | null>;
  /** Goes to a screen of the service, which leads back to this page. */
  goTo(path: '/login' | '/logout'): void;
}

interface Known {
  user: Quire.User | null;
  role: Quire.Role | null;
  access?: DataAccess;
}

const NOBODY: Known = { user: null, role: null };

export function createVisitor({ api, base, slug }: Self): Visitor {
  let known = NOBODY;
  let asking: Promise<Quire.User | null> | undefined;
  let ready: Promise<void> | undefined;

  async function fetchVisitor(): Promise<Quire.User | null> {
    try {
      const response = await window.fetch(`${api}/visitor`, { credentials: 'same-origin' });
      known = response.ok ? ((await response.json()) as Known) : NOBODY;
      return known.user;
    } finally {
      asking = undefined;
    }
  }

  const ask = () => {
    asking ??= fetchVisitor();
    return asking;
  };

  return {
    get ready() {
      // If this fails, the visitor counts as not logged in, and the next call reports the reason.
      ready ??= ask().then(ignore, ignore);
      return ready;
    },
    user: () => known.user,
    role: () => known.role,
    access: () => known.access,
    ask,
    goTo(path) {
      const next = `/p/${slug}${location.search}${location.hash}`;
      const url = `${base}${path}?next=${encodeURIComponent(next)}`;
      // The login screen cannot be framed, and the frame would not have the login afterwards.
      if (window.top === window) location.assign(url);
      else window.open(url, '_blank', 'noopener');
    },
  };
}

function ignore(): void {}

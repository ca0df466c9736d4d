import type { Self } from './self.ts';

/** What is known of the visitor. The globals share it, so that a page asks once. */
export interface Visitor {
  /** Resolves, never rejects, once there is a first answer. */
  readonly ready: Promise<void>;
  user(): Quire.User | null;
  role(): Quire.Role | null;
  /** Asks again; those who ask at the same time share the answer. */
  ask(): Promise<Quire.User | null>;
  /** Leads to a page of the service and back to where the visitor is now. */
  goTo(path: '/login' | '/logout'): void;
}

interface Known {
  user: Quire.User | null;
  role: Quire.Role | null;
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
      // Without an answer nobody is known, and the next call says why.
      ready ??= ask().then(ignore, ignore);
      return ready;
    },
    user: () => known.user,
    role: () => known.role,
    ask,
    goTo(path) {
      const next = `/p/${slug}${location.search}${location.hash}`;
      const address = `${base}${path}?next=${encodeURIComponent(next)}`;
      // In a frame the login page would not show, nor would the frame have the login afterwards.
      if (window.top === window) location.assign(address);
      else window.open(address, '_blank', 'noopener');
    },
  };
}

function ignore(): void {}

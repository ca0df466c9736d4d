import type { Self } from './self.ts';

export interface User {
  id: number;
  username: string;
}

/** Who looks at the page. */
export interface PageUser {
  /** Resolves once it is known whether the visitor is logged in. */
  readonly ready: Promise<void>;
  /** The visitor, or null. */
  current(): Promise<User | null>;
  /** Leads to the login page and back to where the visitor was. */
  login(): void;
  /** Leads to the page where the visitor can log out, and back. */
  logout(): void;
}

export function createPageUser({ api, base, slug }: Self): PageUser {
  const current = async () => {
    const response = await window.fetch(`${api}/visitor`, { credentials: 'same-origin' });
    if (!response.ok) return null;
    const { user } = (await response.json()) as { user: User | null };
    return user;
  };
  const goTo = (path: string) => {
    const next = `/p/${slug}${location.search}${location.hash}`;
    location.assign(`${base}${path}?next=${encodeURIComponent(next)}`);
  };
  let ready: Promise<void> | undefined;
  return {
    get ready() {
      ready ??= current().then(() => undefined);
      return ready;
    },
    current,
    login: () => goTo('/login'),
    logout: () => goTo('/logout'),
  };
}

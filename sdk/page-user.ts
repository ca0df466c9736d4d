import type { Visitor } from './visitor.ts';

export function createPageUser(visitor: Visitor): Quire.PageUser {
  return {
    get ready() {
      return visitor.ready;
    },
    current: visitor.ask,
    login: () => visitor.goTo('/login'),
    logout: () => visitor.goTo('/logout'),
  };
}

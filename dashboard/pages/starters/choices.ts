import type { StorageMode } from '../api.ts';

interface Starter {
  key: 'blank' | 'todo' | 'wall';
  title: string;
  hint: string;
  mode: StorageMode;
}

/** What a new page can begin with. */
export const STARTERS: readonly [Starter, ...Starter[]] = [
  { key: 'blank', title: 'Blank page', hint: 'A heading and good type, and nothing else.', mode: 'page' },
  {
    key: 'todo',
    title: 'To-do list',
    hint: 'An app in which every visitor keeps private data.',
    mode: 'solo_app',
  },
  {
    key: 'wall',
    title: 'Wall of notes',
    hint: 'An app with public data: everybody reads, those who log in write, and it is live.',
    mode: 'social_app',
  },
];

import type { StorageMode } from '../api.ts';

interface Starter {
  key: 'blank' | 'contact' | 'todo' | 'wall';
  title: string;
  hint: string;
  mode: StorageMode;
}

/** Starters for new pages. */
export const STARTERS: readonly [Starter, ...Starter[]] = [
  { key: 'blank', title: 'Blank page', hint: 'A heading and simple styles.', mode: 'page' },
  {
    key: 'contact',
    title: 'Contact form',
    hint: 'Anyone can send you a message. You read it here, under Forms.',
    mode: 'page',
  },
  {
    key: 'todo',
    title: 'To-do list',
    hint: 'An app with private data for each visitor.',
    mode: 'solo_app',
  },
  {
    key: 'wall',
    title: 'Wall of notes',
    hint: 'An app with public data and live updates. Anyone can read it, visitors who log in can write.',
    mode: 'social_app',
  },
];

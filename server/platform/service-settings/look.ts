import type { Accent } from '../../../contract/rules/colors.ts';

/** How this server presents itself on all its screens and in its mails. */
export interface Look {
  name: string;
  /** The path of its logo; undefined for ours. */
  logo: string | undefined;
  accent: Accent;
}

export const QUIRE_LOOK: Look = {
  name: 'Quire',
  logo: undefined,
  accent: { light: '#3547a8', onLight: '#ffffff', dark: '#aab6ff', onDark: '#0e1330' },
};

/**
 * A process is one server, and every part of it can show a screen, even one that says that the rest has failed. So this
 * is the one thing that is not passed to those who use it.
 */
let current = QUIRE_LOOK;

export const look = (): Look => current;

export function setLook(next: Look): void {
  current = next;
}

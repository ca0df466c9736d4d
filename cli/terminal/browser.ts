import type { Environment } from '../environment.ts';

/** Opens a URL in the user's browser. False if there is no display. */
export function openInBrowser(environment: Environment, url: string): boolean {
  const opener = findOpener(environment);
  if (opener) Bun.spawn([opener, url], { stdio: ['ignore', 'ignore', 'ignore'] }).unref();
  return opener !== undefined;
}

function findOpener(environment: Environment): string | undefined {
  if (process.platform === 'darwin') return 'open';
  const hasDisplay = environment.DISPLAY || environment.WAYLAND_DISPLAY;
  return hasDisplay && Bun.which('xdg-open') ? 'xdg-open' : undefined;
}

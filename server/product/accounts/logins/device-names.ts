/** Browsers and their sign in a user agent. The order matters: most also claim to be one further down. */
const BROWSERS: Array<[name: string, sign: RegExp]> = [
  ['Edge', /\bEdgA?(iOS)?\//],
  ['Opera', /\b(OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/\S+.* Safari\//],
];

const SYSTEMS: Array<[name: string, sign: RegExp]> = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows NT\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** The name of a program that is not a browser, first in its user agent: `curl/8.5.0`. */
const PROGRAM = /^([A-Za-z][\w.-]{0,29})(?:\/|\s|$)/;

/** The name of a device for people, such as "Firefox on Linux". It is a guess: anyone can send any user agent. */
export function deviceName(userAgent: string): string {
  const named = (kinds: typeof BROWSERS) => kinds.find(([, sign]) => sign.test(userAgent))?.[0];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser) return system ? `${browser} on ${system}` : browser;
  if (userAgent.startsWith('Mozilla/')) return system ? `A browser on ${system}` : 'A browser';
  return PROGRAM.exec(userAgent)?.[1] ?? 'An unknown device';
}

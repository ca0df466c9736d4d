/**
 * A small site that a generator builds. Each has two documents with the same marks: a heading, `#count`, a button whose
 * text a script counts up, `#mark`, a picture from a file, and on the first `#next`, a link to the second.
 */
export interface Site {
  name: string;
  /** Sites with the same packages share them. */
  packages: Record<string, string>;
  /** The sources. `base` is where the page begins, or `./` if the generator can write relative addresses. */
  write(base: string): Record<string, string | Uint8Array>;
  /** Whether the generator can write relative addresses. */
  isRelative?: true;
  /** Whether all addresses show one document. */
  isApp?: true;
  /** Whether a link loads a new document. */
  loadsDocuments?: true;
}

export const HOME = 'Harbour log';
export const DEEP = 'Tide table';
/** The address of the second document below the page, perhaps with an ending. */
export const DEEP_PATH = 'tides/today';

/** A picture of one pixel. */
export const MARK = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The `package.json` of a site. Its packages are in the folder above. */
export function writePackage(build: string, packages: Record<string, string>, more: object = {}): string {
  return JSON.stringify({ private: true, scripts: { build }, dependencies: packages, ...more });
}

/** A script that counts clicks on the button. */
export const COUNT = `const button = document.querySelector('#count');
button.addEventListener('click', () => { button.textContent = Number(button.textContent) + 1; });`;

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

/** Tells our own colour codes from those in the text of other people, who cannot know it. */
const MARK = crypto.randomUUID();

/** Colours a text if colours are on. Only `printableInColours` turns the result into what a terminal understands. */
export type Paint = Record<keyof typeof CODES, (text: string) => string>;

export function colours(isOn: boolean): Paint {
  const names = Object.keys(CODES) as Array<keyof typeof CODES>;
  const paint = names.map((name) => [
    name,
    (text: string) => (isOn ? `\u001b${MARK}[${CODES[name]}m${text}\u001b${MARK}[0m` : text),
  ]);
  return Object.fromEntries(paint) as Paint;
}

/** Characters that move the cursor, change the title, or reverse the text direction. */
const DRIVING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes untrusted text for a terminal. JSON keeps its meaning: control characters are already escaped in it, and the
 * others become valid escapes.
 */
export function printable(text: string): string {
  return text.replace(DRIVING, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const COLOUR = new RegExp(`\u001b${MARK}(\\[\\d+m)`);

/** The same, but keeps our own colour codes. */
export function printableInColours(text: string): string {
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? `\u001b${part}` : printable(part)))
    .join('');
}

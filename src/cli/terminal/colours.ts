const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

/** Colours a text, where colours are wanted. */
export type Paint = Record<keyof typeof CODES, (text: string) => string>;

export function colours(isOn: boolean): Paint {
  const names = Object.keys(CODES) as Array<keyof typeof CODES>;
  const paint = names.map((name) => [
    name,
    (text: string) => (isOn ? `\u001b[${CODES[name]}m${text}\u001b[0m` : text),
  ]);
  return Object.fromEntries(paint) as Paint;
}

/** Text of somebody else for a terminal: what could move the cursor or change its title is shown, not done. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    const code = character.charCodeAt(0);
    return `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

/** E-mail addresses that somebody has typed or pasted: in lines, or with commas, semicolons, names and `<…>`. */
export function splitAddresses(text: string): string[] {
  const found = text.split(/[\s,;]+/).map((piece) => piece.replace(/^[<"'(]+|[>"')]+$/g, ''));
  return [...new Set(found.filter((piece) => piece.includes('@')))];
}

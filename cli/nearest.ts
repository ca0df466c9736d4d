/** The known word that is most similar to a misspelt one. */
export function nearest(word: string, known: string[]): string | undefined {
  const ranked = known.map((each) => ({ each, away: distance(word, each) })).sort((a, b) => a.away - b.away);
  const best = ranked[0];
  return best && best.away <= Math.ceil(best.each.length / 3) ? best.each : undefined;
}

/** How many letters must be changed, added or removed to turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

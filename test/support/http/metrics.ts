/** The values of `/metrics`, by name and labels as written: `quire_cells`, `x_total{kind="a"}`. */
export function readMetrics(text: string): Map<string, number> {
  const figures = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (name !== undefined) figures.set(name, Number(value));
  }
  return figures;
}

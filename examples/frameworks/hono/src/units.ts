const METERS = { mm: 0.001, cm: 0.01, m: 1, km: 1000, in: 0.0254, ft: 0.3048, mi: 1609.344 };
type Unit = keyof typeof METERS;

export const UNITS = Object.keys(METERS) as [Unit, ...Unit[]];

/** A length in all units. */
export function toUnits(amount: number, from: Unit): Record<string, number> {
  const meters = amount * METERS[from];
  return Object.fromEntries(UNITS.map((unit) => [unit, Number((meters / METERS[unit]).toPrecision(12))]));
}

import { APP_SCOPES, type AppScope, type Scope } from '../../../contract/scopes.ts';

/** Scopes that people choose together, from few to many. */
export type PresetName = 'look' | 'build' | 'everything';

/** The answer of a person who ticks single scopes instead. */
export const OWN_CHOICE = 'own';

const isReading = (scope: Scope) => scope.endsWith(':read');
const isBuilding = (scope: Scope) => scope === 'pages:write' || scope === 'functions:write';

export const PRESETS: Record<PresetName, readonly AppScope[]> = {
  look: APP_SCOPES.filter(isReading),
  build: APP_SCOPES.filter((scope) => isReading(scope) || isBuilding(scope)),
  everything: APP_SCOPES,
};
const NAMES: PresetName[] = ['look', 'build', 'everything'];

/**
 * The presets that a person can choose from, the largest of which is all that the app asks for. Other apps get none:
 * what a preset says must be what the app gets, and one of them must be enough for it.
 */
export function offeredPresets(asked: readonly AppScope[]): PresetName[] {
  const whole = NAMES.filter((name) => PRESETS[name].every((scope) => asked.includes(scope)));
  const largest = whole.at(-1);
  const isAll = largest !== undefined && PRESETS[largest].length === asked.length;
  return whole.length > 1 && isAll ? whole : [];
}

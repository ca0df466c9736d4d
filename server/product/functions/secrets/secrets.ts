import { createSealer, type Sealer, type ServiceKey } from '../../../lib/secrets.ts';

/** The context of a sealed value. */
export function secretContext(functionId: number, name: string): string {
  return `function ${functionId} ${name}`;
}

/** Seals what functions must not lose to others: their secrets, and what a call of them brings along. */
export const createFunctionSealer = (serviceKey: ServiceKey): Sealer =>
  createSealer(serviceKey, 'quire function secrets');

import { createSealer, type Sealer } from '../../../lib/secrets.ts';

/** The context of a sealed value. */
export function secretContext(functionId: number, name: string): string {
  return `function ${functionId} ${name}`;
}

/** Seals what functions must not lose to others: their secrets, and what a call of them brings along. */
export const createFunctionSealer = (serviceKey: Buffer): Sealer =>
  createSealer(serviceKey, 'quire function secrets');

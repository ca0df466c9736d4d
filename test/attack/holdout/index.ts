import type { Sample } from '../samples/sample.ts';
import { cleanCollections } from './clean-collections.ts';
import { cleanFunctions } from './clean-functions.ts';
import { cleanOthers } from './clean-others.ts';
import { openCollections } from './open-collections.ts';
import { openFunctions } from './open-functions.ts';
import { openOthers } from './open-others.ts';

/** 20 pages with holes and 20 without, as a school class publishes them, that the attack was not made with. */
export const holdoutSamples: Sample[] = [
  ...[...openCollections, ...openFunctions, ...openOthers],
  ...[...cleanCollections, ...cleanFunctions, ...cleanOthers],
].map((sample) => ({ ...sample, holdout: true as const }));

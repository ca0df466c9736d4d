import { serve } from '../../server/commands/serve.ts';

/** `quire serve` that waits only this many milliseconds for open requests when it stops. */
await serve(process.env, Number(process.argv[2]));

import { z } from 'zod';
import { about, atLeastOne, blocksOr, count, host, npmRegistry, wholeNumber } from './setting-kinds.ts';

/** The settings of functions. */
export const FUNCTION_SETTINGS = {
  QUIRE_FUNCTIONS_HOST: about(
    host.optional(),
    'Functions also get the hosts `f<id>.<this>`',
    '`functions.localhost` on localhost, otherwise none',
  ),
  QUIRE_FUNCTION_CALLS_PER_MINUTE: about(count(60), 'Function calls per IP address; 0 means no limit'),
  QUIRE_FUNCTION_MAIL: about(
    z.enum(['team', 'anyone']).default('team'),
    'Whom functions can send [mail](functions.md#mail) to: `team` is the owner of the page and its team, `anyone` is any address',
  ),
  QUIRE_SANDBOX: about(
    z.enum(['auto', 'require', 'off']).default('auto'),
    'Sandbox for functions: `auto` uses the best available, `require` does not start without bubblewrap, `off` is for testing only',
  ),
  QUIRE_EGRESS_ALLOW: about(
    blocksOr(''),
    'Private address blocks that functions can reach in addition to the public internet, separated by commas',
    'none',
  ),
  QUIRE_EGRESS_CONNECTIONS: about(
    atLeastOne.default(4096),
    'Connections to the internet that functions can have open at the same time. Each needs four open files; if the system allows fewer, there are fewer connections',
  ),
  QUIRE_EGRESS_CONNECTIONS_PER_OWNER: about(
    atLeastOne.optional(),
    'Open connections for the functions of one owner',
    'a quarter of `QUIRE_EGRESS_CONNECTIONS`, at least one',
  ),
  QUIRE_NPM_REGISTRY: about(
    npmRegistry.optional(),
    'npm registry for the [packages of functions](functions.md#packages). It can have a private address. `off` turns packages off',
    'the one that npm uses on this machine',
  ),
  QUIRE_DATABASE_TEMP_MB: about(
    atLeastOne.default(256),
    'Megabytes of memory that a statement on a function database can use for temporary files, for example to sort. A statement that needs more fails. Enforced where bubblewrap is available',
  ),
  QUIRE_CELLS: about(atLeastOne.default(64), 'Processes for functions that can run at the same time'),
  QUIRE_CELLS_PER_OWNER: about(
    atLeastOne.optional(),
    'Processes for the functions of one owner, including deploys',
    'a quarter of `QUIRE_CELLS`, at least one',
  ),
  QUIRE_DEPLOYS_PER_HOUR: about(count(60), 'Deploys per owner; 0 means no limit'),
  QUIRE_SCHEDULED_RUNS_PER_MINUTE: about(
    count(60),
    'Runs of functions on their schedules, per owner; those over the limit are late. 0 means no limit',
  ),
  QUIRE_FUNCTION_MEMORY_MB: about(
    wholeNumber.min(64, 'must be at least 64').max(2048, 'must be at most 2048').default(256),
    'Megabytes that a function can use for heap and buffers together; 64 to 2048',
  ),
  QUIRE_CELL_CPU_SECONDS: about(atLeastOne.default(10), 'How long a function can block before it is stopped'),
};

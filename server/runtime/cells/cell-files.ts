import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_BINDINGS } from '../../../workers/protocol.ts';
import { loadModule } from '../../lib/modules.ts';
import type { DatabaseAddress } from '../databases/index.ts';
import type { Egress, Pass } from '../egress/index.ts';
import type { ControlGroups, OwnerId, Runtime } from '../workerd/index.ts';
import {
  type Box,
  cellConfig,
  type Launch,
  launch,
  type MemoryFloor,
  memoryBounds,
  SERVE,
} from '../workerd/index.ts';
import type { Admission, ServiceSocket } from './service-socket.ts';

/** What a cell runs. */
export interface CellProgram {
  code: string;
  secrets: Record<string, string>;
  database?: DatabaseAddress | undefined;
  /** Further names of the database in `env`. */
  databaseNames?: string[] | undefined;
}

export interface CellLimits {
  /** How long the event loop may block. */
  cpuMs: number;
  /** The memory a function may use in addition to the runtime's own: heap and buffers together. */
  memoryMegabytes: number;
}

export interface CellContext {
  runtime: Runtime;
  limits: CellLimits;
  egress: Egress;
  services: ServiceSocket;
  maxDescriptors: number;
  floor: MemoryFloor;
  /** Undefined if the kernel cannot limit the memory of each cell. */
  groups: ControlGroups | undefined;
}

/** What a function puts into `caches` may use an eighth of its memory. */
const CACHE_PART = 8;

/** The folders that a cell starts from. */
interface CellFiles {
  launch: Launch;
  socketFolder: string;
  /** The cell's access to services; undefined for the platform's own functions. */
  admission: Admission | undefined;
  /** Call this when workerd has read the files: code and secrets must not stay on disk. */
  removeConfig(): void;
  /** Call this when the cell has ended. */
  release(): void;
}

/** Writes a cell's configuration and creates its folders. Each cell gets its own user and its own egress pass. */
export async function prepareCell(
  context: CellContext,
  name: string,
  owner: OwnerId,
  program: CellProgram,
  onLine: (line: string) => void,
): Promise<CellFiles> {
  let pass: Pass | undefined;
  let admission: Admission | undefined;
  try {
    const [shim, services, database] = await Promise.all([
      loadModule('workers/shim.ts'),
      loadModule('workers/services/services.ts'),
      loadModule('workers/client/database.ts'),
      context.egress.ready(),
      context.services.ready(),
    ]);
    pass = context.egress.admit(owner, onLine);
    if (owner !== null) admission = context.services.admit(owner);
    return writeCell(context, { name, program, pass, admission, modules: { shim, services, database } });
  } catch (error) {
    // No cell will end and release the database and the pass.
    program.database?.release();
    pass?.release();
    admission?.release();
    throw error;
  }
}

function writeCell(
  context: CellContext,
  cell: {
    name: string;
    program: CellProgram;
    pass: Pass;
    admission: Admission | undefined;
    modules: { shim: string; services: string; database: string };
  },
): CellFiles {
  const { name, program, pass, admission, modules } = cell;
  const { runtime } = context;
  const groups = [context.egress.group, program.database?.group].filter((group) => group !== undefined);
  const user = runtime.sandbox.users?.next(groups);
  const socketFolder = runtime.makeFolder(`${name}-sockets`, user);
  const configFolder = runtime.makeFolder(`${name}-config`, user);
  const paths = pathsInBox(context, program, { socketFolder, configFolder, pass });
  const put = (file: string, content: string) => runtime.writeFile(join(configFolder, file), content, user);
  put('quire-shim.js', modules.shim);
  if (admission) put('quire-services.js', modules.services);
  if (program.database) put('quire-database.js', modules.database);
  put('function.js', program.code);
  for (const [secret, value] of Object.entries(program.secrets)) put(`secret-${secret}`, value);
  put('config.capnp', makeConfig(context, cell, paths));
  const box: Box = {
    kind: 'functions',
    user,
    readOnly: [
      [configFolder, paths.config],
      [pass.folder, paths.egress],
      [context.services.folder, paths.services],
      ...(program.database ? [[program.database.folder, paths.database] as [string, string]] : []),
    ],
    writable: [[socketFolder, paths.sockets]],
    maxDescriptors: context.maxDescriptors,
  };
  return {
    launch: launch(runtime.sandbox, box, [...SERVE, join(paths.config, 'config.capnp')]),
    socketFolder,
    admission,
    removeConfig: () => rmSync(configFolder, { recursive: true, force: true }),
    release() {
      program.database?.release();
      pass.release();
      admission?.release();
      rmSync(socketFolder, { recursive: true, force: true });
    },
  };
}

type Paths = ReturnType<typeof pathsInBox>;

/** The paths of the folders as the cell sees them: fixed paths in a box, otherwise the real ones. */
function pathsInBox(
  { runtime, services }: CellContext,
  program: CellProgram,
  { socketFolder, configFolder, pass }: { socketFolder: string; configFolder: string; pass: Pass },
) {
  if (runtime.sandbox.levels.functions === 'bwrap')
    return {
      config: '/config',
      sockets: '/sockets',
      egress: '/egress',
      services: '/services',
      database: '/database',
    };
  return {
    config: configFolder,
    sockets: socketFolder,
    egress: pass.folder,
    services: services.folder,
    database: program.database?.folder ?? '',
  };
}

function makeConfig(
  { limits }: CellContext,
  { program, pass, admission }: { program: CellProgram; pass: Pass; admission: Admission | undefined },
  paths: Paths,
): string {
  const { database, secrets } = program;
  const { allowanceBytes, heapMegabytes } = memoryBounds(limits.memoryMegabytes);
  return cellConfig({
    socketFolder: paths.sockets,
    egressSocket: join(paths.egress, 'http'),
    egressKey: pass.key,
    database: database && {
      socket: join(paths.database, 'http'),
      name: database.name,
      owner: database.owner,
      key: database.key,
      names: ['DB', ...(program.databaseNames ?? [])].filter((name) => !(name in secrets)),
    },
    services: admission && {
      socket: join(paths.services, 'http'),
      key: admission.key,
      names: freeNames(program),
    },
    secrets: Object.keys(secrets),
    heapMegabytes,
    cacheBytes: Math.floor(allowanceBytes / CACHE_PART),
  });
}

/** The services that a function has in `env`. Secrets and databases with the name of one keep it. */
function freeNames({ secrets, databaseNames = [] }: CellProgram): Array<keyof typeof SERVICE_BINDINGS> {
  const names = Object.keys(SERVICE_BINDINGS) as Array<keyof typeof SERVICE_BINDINGS>;
  return names.filter((name) => !(name in secrets) && !databaseNames.includes(name));
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseAddress } from '../databases/index.ts';
import type { Egress } from '../egress/index.ts';
import type { OwnerId, Runtime } from '../workerd/index.ts';
import {
  type Box,
  cellConfig,
  type Launch,
  launch,
  type MemoryFloor,
  memoryBounds,
  SERVE,
} from '../workerd/index.ts';
import type { CellGroups } from './cell-groups.ts';

/** What a cell runs. */
export interface CellProgram {
  code: string;
  secrets: Record<string, string>;
  database?: DatabaseAddress | undefined;
}

export interface CellLimits {
  /** How long the event loop may be blocked. */
  cpuMs: number;
  /** What a function may use on top of what the runtime needs: heap and buffers together. */
  memoryMegabytes: number;
}

export interface CellContext {
  runtime: Runtime;
  limits: CellLimits;
  egress: Egress;
  maxDescriptors: number;
  shim: string;
  floor: MemoryFloor;
  /** Undefined where the kernel cannot bound the memory of each cell. */
  groups: CellGroups | undefined;
}

/** The folders of a cell, written and ready to be started from. */
interface CellFiles {
  launch: Launch;
  socketFolder: string;
  /** To be called when it has been read: code and secrets need not lie about. */
  removeConfig(): void;
  /** To be called when the cell has ended. */
  release(): void;
}

export function prepareCell(
  context: CellContext,
  name: string,
  owner: OwnerId,
  program: CellProgram,
  onLine: (line: string) => void,
): CellFiles {
  const { runtime, limits } = context;
  const { levels, users } = runtime.sandbox;
  const groups = [context.egress.group, program.database?.group].filter((group) => group !== undefined);
  const user = users?.next(groups);
  const socketFolder = runtime.makeFolder(`${name}-sockets`, user);
  const configFolder = runtime.makeFolder(`${name}-config`, user);
  const inBox = levels.functions === 'bwrap';
  const pass = context.egress.admit(owner, onLine);
  const paths = {
    config: inBox ? '/config' : configFolder,
    sockets: inBox ? '/sockets' : socketFolder,
    egress: inBox ? '/egress' : pass.folder,
    database: inBox ? '/database' : (program.database?.folder ?? ''),
  };
  const box: Box = {
    kind: 'functions',
    user,
    readOnly: [
      [configFolder, paths.config],
      [pass.folder, paths.egress],
      ...(program.database ? [[program.database.folder, paths.database] as [string, string]] : []),
    ],
    writable: [[socketFolder, paths.sockets]],
    maxDescriptors: context.maxDescriptors,
  };
  const put = (file: string, content: string) => runtime.writeFile(join(configFolder, file), content, user);
  put('quire-shim.js', context.shim);
  put('function.js', program.code);
  for (const [secret, value] of Object.entries(program.secrets)) put(`secret-${secret}`, value);
  put(
    'config.capnp',
    cellConfig({
      socketFolder: paths.sockets,
      egressSocket: join(paths.egress, 'http'),
      egressKey: pass.key,
      database: program.database && {
        socket: join(paths.database, 'http'),
        name: program.database.name,
        owner: program.database.owner,
        key: program.database.key,
      },
      secrets: Object.keys(program.secrets),
      heapMegabytes: memoryBounds(limits.memoryMegabytes).heapMegabytes,
    }),
  );
  return {
    launch: launch(runtime.sandbox, box, [...SERVE, join(paths.config, 'config.capnp')]),
    socketFolder,
    removeConfig: () => rmSync(configFolder, { recursive: true, force: true }),
    release() {
      program.database?.release();
      pass.release();
      rmSync(socketFolder, { recursive: true, force: true });
    },
  };
}

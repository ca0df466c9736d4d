import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BoxUser } from './box/box-users.ts';
import { type Box, dataPath, launch } from './box/sandbox.ts';
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { openSockets } from './socket.ts';

/** How to start a helper. */
interface Helper {
  runtime: Runtime;
  kind: 'databases' | 'egress';
  /** The name of the helper's folders. */
  name: string;
  user: BoxUser | undefined;
  /** The configuration. It contains keys, so it is deleted when workerd has read it. */
  config(paths: { socket: string; folder: string }): string;
  modules: Record<string, string>;
  /** Flags for workerd. They come before the name of the configuration. */
  flags: string[];
  /** The sockets it listens on, relative to its folder. Default: only `http`. */
  sockets?: string[];
  maxDescriptors?: number;
  /** The folder of the service named `disk` in the configuration. */
  dataFolder?: string;
  /** How much it may write to `/tmp` if it runs in a box. */
  tempBytes?: number | undefined;
  hasNetwork?: boolean;
  readOnly?: Box['readOnly'];
  /** Environment variables. The only other one is a plain PATH. */
  env?: Record<string, string>;
  onLine(line: string): void;
}

const START_MS = 10_000;

/** Starts a workerd with our own code in a box. It listens on `http` in the folder with its name. */
export async function startHelper(helper: Helper): Promise<{ process: WorkerdProcess; socket: string }> {
  const { runtime, kind, name, user, dataFolder } = helper;
  const level = runtime.sandbox.levels[kind];
  const isBoxed = level === 'bwrap';
  const socketFolder = runtime.makeFolder(name, user, user?.id);
  const configFolder = runtime.makeFolder(`${name}-config`, user);
  const put = (file: string, content: string) => runtime.writeFile(join(configFolder, file), content, user);
  const folder = isBoxed ? '/sockets' : socketFolder;
  put('config.capnp', helper.config({ socket: join(folder, 'http'), folder }));
  for (const [file, content] of Object.entries(helper.modules)) put(file, content);
  const box: Box = {
    kind,
    user,
    readOnly: [[configFolder, '/config'], ...(helper.readOnly ?? [])],
    writable: [[socketFolder, '/sockets']],
    ...(dataFolder !== undefined && {
      data: { folder: dataFolder, mountPoint: runtime.makeFolder(`${name}-data`, user) },
    }),
    tempBytes: helper.tempBytes,
    hasNetwork: helper.hasNetwork ?? false,
    maxDescriptors: helper.maxDescriptors,
    keepsEnvironment: helper.env !== undefined,
  };
  const args = [
    ...[...SERVE, ...helper.flags],
    // A configuration may contain only plain characters, but the operator's folder may have others.
    ...(dataFolder === undefined ? [] : [`--directory-path=disk=${dataPath(level, dataFolder)}`]),
    join(isBoxed ? '/config' : configFolder, 'config.capnp'),
  ];
  const socket = join(socketFolder, 'http');
  try {
    const sockets = helper.sockets?.map((path) => join(socketFolder, path)) ?? [socket];
    const process = await openSockets(sockets, () =>
      startWorkerd({
        launch: launch(runtime.sandbox, box, args),
        sockets: sockets.length,
        deadlineMs: START_MS,
        ...(helper.env && { env: helper.env }),
        onLine: helper.onLine,
      }),
    );
    return { process, socket };
  } finally {
    rmSync(configFolder, { recursive: true, force: true });
  }
}

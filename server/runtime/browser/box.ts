import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Egress, Pass } from '../egress/index.ts';
import {
  type Box,
  bridgeConfig,
  findLibraries,
  type Launch,
  launch,
  type OwnerId,
  PROGRAM,
  type Runtime,
  SERVE,
} from '../workerd/index.ts';
import { programFolder } from './find-chromium.ts';

/** The ports in the box's own network: the way to the internet, and to our own hosts. */
export const EGRESS_PORT = 3128;
export const SITE_PORT = 3129;
/** The descriptor of the browser's control connection. bwrap uses the ones below. */
export const CONTROL_FD = 6;

/** The size of the folder in memory that has the browser's profile and everything else that it writes. */
const TEMP_BYTES = 256 * 1024 * 1024;
const MAX_DESCRIPTORS = 4_096;
const MAX_PROCESSES = 1_000;

/** Fonts and their configuration. */
const FONTS = [
  ...['/etc/fonts', '/usr/share/fontconfig', '/var/cache/fontconfig'],
  ...['/usr/share/fonts', '/usr/local/share/fonts'],
];
/** The library that checks certificates loads these later, from its own folder. */
const LATE_LIBRARIES = /^lib(softokn3|freebl\w*|nssckbi|nssdbm3|nss_files|sqlite3|plds4|plc4)\.so/;

/**
 * Waits until the box is in its control group, then starts the bridge and the browser. The shell is the first process
 * of the box, so everything ends with it.
 */
const SCRIPT = `
read -r _ <&${CONTROL_FD} || exit 1
export HOME=/tmp LANG=C.UTF-8
${PROGRAM} ${SERVE.join(' ')} --experimental /config/bridge.capnp ${CONTROL_FD}<&- &
"$@" 3<&${CONTROL_FD} 4>&${CONTROL_FD} ${CONTROL_FD}<&-
`;

/** A box for one browser, before the browser starts. */
interface BrowserBox {
  launch: Launch;
  /** Where the server must listen for requests to our own hosts. */
  siteSocket: string;
  /** Call this when the browser has ended. */
  release(): void;
}

/** What a box needs of the browser's program. Reading this takes a moment, so it is done once. */
export interface BrowserProgram {
  path: string;
  readOnly: Box['readOnly'];
}

export function describeProgram(path: string): BrowserProgram {
  const shell = '/bin/sh';
  const libraries = new Set([...findLibraries(path), ...findLibraries(shell)]);
  for (const library of [...libraries].filter((one) => /\/libnss3\.so/.test(one))) {
    for (const folder of [dirname(library), join(dirname(library), 'nss')].filter(existsSync))
      for (const name of readdirSync(folder).filter((one) => LATE_LIBRARIES.test(one)))
        libraries.add(join(folder, name));
  }
  const shown = [programFolder(path), shell, ...libraries, ...FONTS.filter((one) => existsSync(one))];
  return { path, readOnly: shown.map((one) => [one, one]) };
}

/** Prepares a box. Its only ways out are its owner's lane of the egress and the socket of our own site. */
export function prepareBox(options: {
  runtime: Runtime;
  egress: Egress;
  program: BrowserProgram;
  name: string;
  owner: OwnerId;
  args: string[];
}): BrowserBox {
  const { runtime, egress, program, name, owner } = options;
  let pass: Pass | undefined;
  const folders: string[] = [];
  const release = () => {
    pass?.release();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  try {
    pass = egress.admit(owner, () => undefined);
    const user = runtime.sandbox.users?.next(egress.group === undefined ? [] : [egress.group]);
    const config = runtime.makeFolder(`${name}-config`, user);
    const site = runtime.makeFolder(`${name}-site`, user);
    folders.push(config, site);
    const doors = [
      { port: EGRESS_PORT, socket: '/egress/http' },
      { port: SITE_PORT, socket: '/site/http' },
    ];
    runtime.writeFile(join(config, 'bridge.capnp'), bridgeConfig(doors), user);
    const box: Box = {
      kind: 'functions',
      user,
      program: '/bin/sh',
      readOnly: [...program.readOnly, [config, '/config'], [site, '/site'], [pass.folder, '/egress']],
      writable: [],
      tempBytes: TEMP_BYTES,
      hasLoopback: true,
      hasSystemFiles: true,
      maxDescriptors: MAX_DESCRIPTORS,
      maxProcesses: MAX_PROCESSES,
    };
    const args = ['-c', SCRIPT, 'quire', program.path, ...options.args];
    return { launch: launch(runtime.sandbox, box, args), siteSocket: join(site, 'http'), release };
  } catch (error) {
    release();
    throw error;
  }
}
